// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/stream_type.hpp"

#include <new>
#include <vector>

#include "core/error.hpp"
#include "py/arguments.hpp"
#include "py/convert.hpp"
#include "py/gil.hpp"
#include "py/parts.hpp"
#include "py/type_helpers.hpp"
#include "runtime/device.hpp"

namespace gpuarray::py {

PyTypeObject* stream_type = nullptr;

namespace {

struct StreamObject {
  PyObject_HEAD PyObject* owner;  // of a foreign handle; null for our own
  StreamPtr stream;
};

constexpr const char* kStreamDoc =
    "Stream(device=None, *, non_blocking=True, priority=0)\n--\n\n"
    "A queue of work on a device, done in order; lower priority numbers go first.\n\n"
    "non_blocking: does not order itself with the legacy default stream. `with stream:` makes it "
    "the\n"
    "current stream of its device for the thread. The cpu device has one that is always idle.";

// What `with stream:` replaced, innermost last.
thread_local std::vector<StreamPtr> replaced;

const StreamPtr& as_stream(PyObject* object) {
  return reinterpret_cast<StreamObject*>(object)->stream;
}

Ref stream_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static constexpr Signature<3> kSignature{"Stream", {"device", "non_blocking", "priority"}, 0, 1};
  auto [device, non_blocking, priority] = parse(kSignature, args, kwargs);
  bool is_non_blocking = non_blocking == nullptr || checked_status(PyObject_IsTrue(non_blocking));
  int level = priority == nullptr ? 0 : static_cast<int>(to_int64(priority));
  return new_stream(create_stream(to_device(device), is_non_blocking, level));
}

void stream_dealloc(PyObject* object) noexcept {
  auto* self = reinterpret_cast<StreamObject*>(object);
  self->stream.~StreamPtr();
  Py_XDECREF(self->owner);
  free_object(object);
}

Ref stream_repr(PyObject* self) {
  const Stream& stream = *as_stream(self);
  std::string device = to_string(stream.device());
  return checked(PyUnicode_FromFormat("<gpuarray.Stream %s %p>", device.c_str(),
                                      reinterpret_cast<void*>(stream.handle())));
}

// Two objects of one handle are the same stream.
Ref stream_richcompare(PyObject* left, PyObject* right, int comparison) {
  if (!is_stream(right) || (comparison != Py_EQ && comparison != Py_NE)) return not_implemented();
  const Stream &a = *as_stream(left), &b = *as_stream(right);
  bool same = a.device() == b.device() && a.handle() == b.handle();
  return py_bool(same == (comparison == Py_EQ));
}

Py_ssize_t stream_hash(PyObject* self) {
  auto hash = static_cast<Py_ssize_t>(as_stream(self)->handle() >> 4);
  return hash == -1 ? -2 : hash;
}

Ref get_ptr(PyObject* self, void*) { return py_uint(as_stream(self)->handle()); }
Ref get_device(PyObject* self, void*) { return from_device(as_stream(self)->device()); }
Ref get_done(PyObject* self, void*) { return py_bool(as_stream(self)->done()); }

Ref stream_synchronize(PyObject* self, PyObject*) {
  without_gil([stream = as_stream(self)] { stream->synchronize(); });
  return none();
}

Ref stream_wait(PyObject* self, PyObject* other) {
  const StreamPtr& stream = as_stream(self);
  if (is_stream(other)) {
    stream->wait_for(*as_stream(other));
  } else {
    stream->wait_for(*to_stream(other, stream->device()));
  }
  return none();
}

Ref stream_cuda_stream(PyObject* self, PyObject*) {
  const Stream& stream = *as_stream(self);
  if (stream.device().is_cpu()) throw DeviceError("__cuda_stream__: a stream of the cpu device");
  return checked(Py_BuildValue("(iK)", 0, static_cast<unsigned long long>(stream.handle())));
}

Ref stream_enter(PyObject* self, PyObject*) {
  replaced.push_back(set_current_stream(as_stream(self)));
  return Ref::borrow(self);
}

Ref stream_exit(PyObject*, PyObject*) {
  if (replaced.empty()) throw ValueError("Stream.__exit__: this thread has not entered a stream");
  set_current_stream(std::move(replaced.back()));
  replaced.pop_back();
  return none();
}

// The handle out of an int or __cuda_stream__'s (version, handle).
uintptr_t foreign_handle(PyObject* object) {
  if (PyIndex_Check(object)) return static_cast<uintptr_t>(to_int64(object));
  if (!PyObject_HasAttrString(object, "__cuda_stream__"))
    throw TypeError("stream: expected a Stream, an int or an object with __cuda_stream__, got " +
                    type_name(object));
  Ref method = checked(PyObject_GetAttrString(object, "__cuda_stream__"));
  Ref pair = PyCallable_Check(method.get())
                 ? checked(PyObject_CallFunctionObjArgs(method.get(), nullptr))
                 : std::move(method);
  Ref handle = checked(PySequence_GetItem(pair.get(), 1));
  return static_cast<uintptr_t>(to_int64(handle.get()));
}

Ref stream_from_external(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<2> kSignature{"from_external", {"stream", "device"}, 1};
  auto [object, device] = parse(kSignature, args, nargs, kwnames);
  Device target = to_device(device);
  uintptr_t handle = foreign_handle(object);
  return new_stream(external_stream(target, handle), object);
}

template <Ref (*get)(PyObject*, void*)>
constexpr PyGetSetDef attribute(const char* name, const char* doc) {
  return {name, &Slot<get>::call, nullptr, doc, nullptr};
}

PyGetSetDef attributes[] = {
    attribute<get_ptr>("ptr", "The CUstream as an int; 0 for cpu."),
    attribute<get_device>("device", "The Device whose work it queues."),
    attribute<get_done>("done", "Whether all queued work is done."),
    {},
};

PyMethodDef methods[] = {
    {"synchronize", method<stream_synchronize>, METH_NOARGS,
     "synchronize($self, /)\n--\n\nBlocks until all queued work is done."},
    {"wait", method<stream_wait>, METH_O,
     "wait($self, other, /)\n--\n\n"
     "Later work on this stream runs after what is queued on `other` now. Does not block."},
    {"from_external", method<stream_from_external>, METH_FASTCALL | METH_KEYWORDS | METH_STATIC,
     "from_external(stream, device=None)\n--\n\n"
     "The stream of another library: a CUstream as an int (1 is the legacy, 2 the per-thread "
     "default\n"
     "stream) or an object with __cuda_stream__, which is kept alive."},
    {"__cuda_stream__", method<stream_cuda_stream>, METH_NOARGS,
     "__cuda_stream__($self, /)\n--\n\n(0, handle), for other libraries."},
    {"__enter__", method<stream_enter>, METH_NOARGS, nullptr},
    {"__exit__", method<stream_exit>, METH_VARARGS, nullptr},
    {},
};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>(kStreamDoc)},
    {Py_tp_new, slot<stream_new>},
    {Py_tp_dealloc, reinterpret_cast<void*>(&stream_dealloc)},
    {Py_tp_repr, slot<stream_repr>},
    {Py_tp_hash, slot<stream_hash>},
    {Py_tp_richcompare, slot<stream_richcompare>},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, nullptr},
};

}  // namespace

Ref new_stream(StreamPtr stream, PyObject* owner) {
  auto* self = allocate_object<StreamObject>(stream_type);
  Py_XINCREF(owner);
  self->owner = owner;
  new (&self->stream) StreamPtr(std::move(stream));
  return Ref::steal(reinterpret_cast<PyObject*>(self));
}

StreamPtr to_stream(PyObject* object, Device device) {
  if (object == nullptr || object == Py_None) return current_stream(device);
  if (!is_stream(object)) return external_stream(device, foreign_handle(object));
  const StreamPtr& stream = as_stream(object);
  if (stream->device() == device) return stream;
  throw DeviceError("stream: expected a stream of " + to_string(device) + ", got one of " +
                    to_string(stream->device()));
}

StreamScope::StreamScope(StreamPtr stream) : previous_(set_current_stream(std::move(stream))) {}
StreamScope::~StreamScope() { set_current_stream(std::move(previous_)); }

void add_stream_type(PyObject* module) {
  if (stream_type == nullptr)
    stream_type = make_type(module, "gpuarray.Stream", sizeof(StreamObject), slots);
  add_type(module, "Stream", stream_type);
}

}  // namespace gpuarray::py
