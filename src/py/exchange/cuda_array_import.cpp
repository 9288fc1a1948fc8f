// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <atomic>
#include <optional>
#include <string>

#include "core/environment.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/gil_stand_in.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/convert/numpy.hpp"
#include "py/exchange/interchange.hpp"
#include "py/exchange/parts.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/pointer.hpp"
#include "runtime/driver/driver_types.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray::py {
namespace {

constexpr const char* kName = "__cuda_array_interface__";
constexpr const char* kVariable = "GPUARRAY_CUDA_ARRAY_INTERFACE_SYNC";

[[noreturn]] void malformed(const std::string& what) {
  throw ValueError(std::string(kName) + ": " + what);
}

// Returns an entry of the interface, borrowed; null if it is absent or None.
PyObject* optional_entry(PyObject* interface, const char* key) {
  PyObject* value = PyDict_GetItemString(interface, key);
  return value == Py_None ? nullptr : value;
}

PyObject* entry(PyObject* interface, const char* key) {
  PyObject* value = optional_entry(interface, key);
  if (value == nullptr) malformed(std::string("'") + key + "' is missing");
  return value;
}

// Throws ValueError for a version that is not supported and for a masked array.
void check_supported(PyObject* interface) {
  const int64_t version = to_int64(entry(interface, "version"));
  if (version < 0 || version > 3)
    malformed("version " + std::to_string(version) + " is not supported, expected up to 3");
  if (optional_entry(interface, "mask") != nullptr) malformed("masked arrays are not supported");
}

// Returns the strides in elements; C-contiguous ones if the interface has none.
Strides strides_of(PyObject* interface, const Shape& shape, int item) {
  PyObject* given = optional_entry(interface, "strides");
  return given == nullptr ? contiguous_strides(shape)
                          : to_strides(kName, given, shape.size(), item);
}

void set_data(PyObject* interface, ForeignMemory& memory) {
  PyObject* data = entry(interface, "data");
  if (!PyTuple_Check(data) || PyTuple_Size(data) != 2)
    malformed("'data' must be a tuple (address, readonly)");
  memory.data = PyLong_AsVoidPtr(PyTuple_GetItem(data, 0));
  if (memory.data == nullptr && PyErr_Occurred()) throw PythonError();
  memory.readonly = checked_status(PyObject_IsTrue(PyTuple_GetItem(data, 1))) == 1;
}

// Asks the driver where the memory is. An array without elements has no address to ask about, and
// counts as of the default CUDA device.
void find_place(ForeignMemory& memory) {
  if (element_count(memory.shape) == 0) {
    memory.device = default_cuda_device();
    return require_device(memory.device);
  }
  if (memory.data == nullptr) malformed("the address is 0");
  const PointerInfo info = pointer_info(memory.data);
  // Memory that all devices can use counts as of the default device, since its block may come from
  // a pool that another device filled.
  const bool is_shared = info.kind != MemoryKind::device;
  memory.device = is_shared ? default_cuda_device() : info.device;
  require_device(memory.device);
  memory.data = info.data;
  memory.kind = info.kind;
}

// Makes work queued on the current stream from now on run after what the producer has queued.
void wait_for_producer(PyObject* interface, Device device) {
  // Before version 3 the interface named no stream, and most libraries used the legacy default one.
  if (to_int64(entry(interface, "version")) < 3) return wait_for_handle(device, CU_STREAM_LEGACY);
  PyObject* given = optional_entry(interface, "stream");
  if (given == nullptr) return;
  const int64_t handle = to_int64(given);
  if (handle == 0) malformed("stream 0 is ambiguous and not allowed");
  if (handle < 0) malformed("stream " + std::to_string(handle) + " is not valid");
  wait_for_handle(device, static_cast<uintptr_t>(handle));
}

// Whether an import waits for the stream of the interface: 0 or 1, or -1 until the environment is
// read.
std::atomic<int> synchronizes = -1;

bool sync_by_default() {
  int value = synchronizes.load(std::memory_order_relaxed);
  if (value >= 0) return value != 0;
  synchronizes.compare_exchange_strong(value, bool_variable(kVariable, true) ? 1 : 0);
  return synchronizes.load() != 0;
}

constexpr Signature<3> kFromInterface{.function = "from_cuda_array_interface",
                                      .names = {"obj", "sync", "stream"},
                                      .required = 1,
                                      .positional = 1,
                                      .positional_only = 1};

Ref from_interface(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [object, sync, stream] = parse(kFromInterface, args, nargs, kwnames);
  if (!is_given(sync)) return import_cuda_array(object, std::nullopt, stream);
  return import_cuda_array(object, checked_status(PyObject_IsTrue(sync)) == 1, stream);
}

Ref set_sync(PyObject*, PyObject* on) {
  const bool before = sync_by_default();
  synchronizes = checked_status(PyObject_IsTrue(on));
  return py_bool(before);
}

Ref get_sync(PyObject*, PyObject*) { return py_bool(sync_by_default()); }

}  // namespace

Ref import_cuda_array(PyObject* object, std::optional<bool> sync, PyObject* stream) {
  if (!has_attribute(object, kName))
    throw TypeError(std::string("from_cuda_array_interface: expected an object with ") + kName +
                    ", got " + type_name(object) +
                    "; gpuarray.asarray(x) takes arrays of the host and sequences");
  Ref interface = checked(PyObject_GetAttrString(object, kName));
  if (!PyDict_Check(interface.get()))
    malformed("expected a dict, got " + type_name(interface.get()));
  interface = unshared_dict(std::move(interface));
  check_supported(interface.get());
  ForeignMemory memory;
  memory.dtype = dtype_from_numpy(entry(interface.get(), "typestr"));
  memory.shape = to_shape(entry(interface.get(), "shape"));
  memory.strides = strides_of(interface.get(), memory.shape, itemsize(memory.dtype));
  set_data(interface.get(), memory);
  checked_extent(memory, kName);
  find_place(memory);
  const StreamScope scope(stream, memory.device);
  memory.is_ready = sync ? *sync : sync_by_default();
  if (memory.is_ready) wait_for_producer(interface.get(), memory.device);
  return new_array(borrow_array(memory, kName, keep_alive(object)), object);
}

bool has_writable_interface(PyObject* object) {
  if (!has_attribute(object, kName)) return false;
  Ref interface = checked(PyObject_GetAttrString(object, kName));
  if (!PyDict_Check(interface.get())) return false;
  interface = unshared_dict(std::move(interface));
  PyObject* data = optional_entry(interface.get(), "data");
  if (data == nullptr || !PyTuple_Check(data) || PyTuple_Size(data) != 2) return false;
  return checked_status(PyObject_IsTrue(PyTuple_GetItem(data, 1))) == 0;
}

MethodRows cuda_array_function_rows() {
  static const PyMethodDef rows[] = {
      {"from_cuda_array_interface", method<from_interface>, METH_FASTCALL | METH_KEYWORDS,
       R"(from_cuda_array_interface(obj, /, *, sync=None, stream=None)
--

A GPUArray over the memory of an object with __cuda_array_interface__, which it keeps alive.
Work on `stream`, or the current one, runs after the stream that the interface names, before
version 3 after the legacy default stream, unless `sync` is False; None is what
set_cuda_array_interface_sync says. Never waits on the host. ValueError for an interface that
is malformed or masked, TypeError for a dtype that is not supported.)"},
      {"set_cuda_array_interface_sync", method<set_sync>, METH_O,
       R"(set_cuda_array_interface_sync($module, on, /)
--

Whether arrays taken through the CUDA array interface wait for the producer's stream, in all
threads; returns the setting before. Initially what GPUARRAY_CUDA_ARRAY_INTERFACE_SYNC says, 0
or 1, else True. Without, the caller orders the streams.)"},
      {"cuda_array_interface_sync", method<get_sync>, METH_NOARGS,
       R"(cuda_array_interface_sync($module, /)
--

Whether arrays taken through the CUDA array interface wait for the producer's stream.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
