// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <functional>
#include <vector>

#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/device_object.hpp"
#include "py/device/parts.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/deferred_frees.hpp"
#include "runtime/stream/synchronize.hpp"

namespace gpuarray::py {

namespace {

constexpr const char* kDeviceDoc =
    R"(Device(name=None, /)
--

A device that arrays live on: Device('cpu'), Device('cuda:0'); None is the default device.

Equal devices are one object, equal to the name too. `with device:` makes it the default of the
thread.)";

// The default devices that `with device:` blocks of this thread replaced, innermost last.
thread_local std::vector<ThreadDevice> replaced;

Ref device_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static constexpr Signature<1> kSignature{"Device", {"name"}, 0, 1, 1};
  return from_device(to_device(parse(kSignature, args, kwargs)[0]));
}

void device_dealloc(PyObject* self) noexcept { free_object(self); }

Ref device_str(PyObject* self) { return py_string(to_string(as_device(self))); }
Ref device_repr(PyObject* self) {
  return py_string("Device('" + to_string(as_device(self)) + "')");
}

// Returns the hash of the device's name, to which it compares equal.
Py_ssize_t device_hash(PyObject* self) {
  return PyObject_Hash(py_string(to_string(as_device(self))).get());
}

Ref device_richcompare(PyObject* left, PyObject* right, int comparison) {
  if (comparison != Py_EQ && comparison != Py_NE) return not_implemented();
  bool same = false;
  if (is_device(right)) {
    same = as_device(left) == as_device(right);
  } else if (PyUnicode_Check(right)) {
    same = to_string(as_device(left)) == to_text(right, "device");
  } else {
    return not_implemented();
  }
  return py_bool(same == (comparison == Py_EQ));
}

Ref get_kind(PyObject* self, void*) { return py_string(as_device(self).is_cpu() ? "cpu" : "cuda"); }
Ref get_index(PyObject* self, void*) { return py_int(as_device(self).index); }
Ref get_name(PyObject* self, void*) { return py_string(properties(as_device(self)).name); }

Ref get_compute_capability(PyObject* self, void*) {
  Device device = as_device(self);
  if (device.is_cpu()) return none();
  const DeviceProperties& found = properties(device);
  return checked(Py_BuildValue("(ii)", found.compute_major, found.compute_minor));
}

Ref get_multiprocessors(PyObject* self, void*) {
  return py_int(properties(as_device(self)).multiprocessors);
}
Ref get_total_memory(PyObject* self, void*) {
  return py_int(properties(as_device(self)).total_memory);
}

Ref device_memory_info(PyObject* self, PyObject*) {
  MemoryInfo memory = memory_info(as_device(self));
  Ref free = py_int(memory.free);
  Ref total = py_int(memory.total);
  return checked(PyTuple_Pack(2, free.get(), total.get()));
}

Ref device_synchronize(PyObject* self, PyObject*) {
  without_gil([&] {
    run_deferred_frees();
    synchronize(as_device(self));
  });
  return none();
}

Ref device_enter(PyObject* self, PyObject*) {
  replaced.push_back(set_thread_device({true, as_device(self)}));
  return Ref::borrow(self);
}

Ref device_exit(PyObject*, PyObject*) {
  if (replaced.empty()) throw DeviceError("Device.__exit__: this thread has not entered a device");
  set_thread_device(replaced.back());
  replaced.pop_back();
  return none();
}

Ref device_reduce(PyObject* self, PyObject*) {
  Ref name = device_str(self);
  return checked(Py_BuildValue("(O(O))", reinterpret_cast<PyObject*>(device_type), name.get()));
}

template <Ref (*get)(PyObject*, void*)>
constexpr PyGetSetDef attribute(const char* name, const char* doc) {
  return {name, &Slot<get>::call, nullptr, doc, nullptr};
}

PyGetSetDef attributes[] = {
    attribute<get_kind>("kind", "'cpu' or 'cuda'."),
    attribute<get_index>("index", "Number among the devices of its kind, from 0."),
    attribute<get_index>("id", "The same as index."),
    attribute<get_name>("name", "The device's name as its maker gives it."),
    attribute<get_compute_capability>("compute_capability", "(major, minor); None for cpu."),
    attribute<get_multiprocessors>("multiprocessors", "Number of multiprocessors, or of cores."),
    attribute<get_total_memory>("total_memory", "Bytes of memory the device has."),
    {},
};

PyMethodDef methods[] = {
    {"memory_info", method<device_memory_info>, METH_NOARGS,
     R"(memory_info($self, /)
--

(free, total) bytes of memory, now.)"},
    {"synchronize", method<device_synchronize, Entry::runs_all>, METH_NOARGS,
     R"(synchronize($self, /)
--

Blocks until all work queued on the device is done.)"},
    {"__enter__", method<device_enter>, METH_NOARGS, nullptr},
    {"__exit__", method<device_exit>, METH_VARARGS, nullptr},
    {"__reduce__", method<device_reduce>, METH_NOARGS, nullptr},
    {},
};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>(kDeviceDoc)},
    {Py_tp_new, slot<device_new>},
    {Py_tp_dealloc, reinterpret_cast<void*>(&device_dealloc)},
    {Py_tp_repr, slot<device_repr>},
    {Py_tp_str, slot<device_str>},
    {Py_tp_hash, slot<device_hash>},
    {Py_tp_richcompare, slot<device_richcompare>},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, nullptr},
};

}  // namespace

void add_device_type(PyObject* module) {
  if (device_type == nullptr)
    device_type = make_type(module, "gpuarray.Device", sizeof(DeviceObject), slots);
  add_type(module, "Device", device_type);
}

}  // namespace gpuarray::py
