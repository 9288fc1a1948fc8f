// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <string>

#include "core/error.hpp"
#include "py/array_object.hpp"
#include "py/convert.hpp"
#include "py/interchange.hpp"
#include "py/numpy.hpp"
#include "runtime/device.hpp"
#include "runtime/pointer.hpp"
#include "runtime/stream.hpp"

namespace gpuarray::py {
namespace {

constexpr const char* kName = "__cuda_array_interface__";

[[noreturn]] void malformed(const std::string& what) {
  throw ValueError(std::string(kName) + ": " + what);
}

// Borrowed; null where the entry is absent or None.
PyObject* optional_entry(PyObject* interface, const char* key) {
  PyObject* value = PyDict_GetItemString(interface, key);
  return value == Py_None ? nullptr : value;
}

PyObject* entry(PyObject* interface, const char* key) {
  PyObject* value = optional_entry(interface, key);
  if (value == nullptr) malformed(std::string("'") + key + "' is missing");
  return value;
}

void check_supported(PyObject* interface) {
  const int64_t version = to_int64(entry(interface, "version"));
  if (version < 0 || version > 3)
    malformed("version " + std::to_string(version) + " is not supported, expected up to 3");
  if (optional_entry(interface, "mask") != nullptr) malformed("masked arrays are not supported");
}

Strides to_strides(PyObject* interface, const Shape& shape, int item) {
  PyObject* given = optional_entry(interface, "strides");
  if (given == nullptr) return contiguous_strides(shape);
  Ref items = checked(PySequence_Tuple(given));
  if (PyTuple_Size(items.get()) != shape.size())
    malformed("'strides' has " + std::to_string(PyTuple_Size(items.get())) + " entries, expected " +
              std::to_string(shape.size()));
  Strides strides;
  for (int axis = 0; axis < shape.size(); ++axis) {
    const int64_t bytes = to_int64(PyTuple_GetItem(items.get(), axis));
    if (bytes % item != 0)
      malformed("stride " + std::to_string(bytes) + " is not a multiple of the itemsize " +
                std::to_string(item));
    strides.push_back(bytes / item);
  }
  return strides;
}

void set_data(PyObject* interface, ForeignMemory& memory) {
  PyObject* data = entry(interface, "data");
  if (!PyTuple_Check(data) || PyTuple_Size(data) != 2)
    malformed("'data' must be a tuple (address, readonly)");
  memory.data = PyLong_AsVoidPtr(PyTuple_GetItem(data, 0));
  if (memory.data == nullptr && PyErr_Occurred()) throw PythonError();
  memory.readonly = checked_status(PyObject_IsTrue(PyTuple_GetItem(data, 1))) == 1;
}

// An array without elements has no address to ask about.
Device device_of(const ForeignMemory& memory) {
  if (element_count(memory.shape) > 0) {
    if (memory.data == nullptr) malformed("the address is 0");
    return device_of_pointer(memory.data);
  }
  const Device fallback = default_device();
  return fallback.is_cpu() ? Device::cuda(0) : fallback;
}

// Work queued from now on runs after what the producer has queued.
void wait_for_producer(PyObject* interface, Device device) {
  PyObject* given = optional_entry(interface, "stream");
  if (given == nullptr) return;
  const int64_t handle = to_int64(given);
  if (handle == 0) malformed("stream 0 is ambiguous and not allowed");
  const StreamPtr producer = external_stream(device, static_cast<uintptr_t>(handle));
  current_stream(device)->wait_for(*producer);
}

}  // namespace

Ref import_cuda_array(PyObject* object) {
  if (!has_attribute(object, kName))
    throw TypeError(std::string("from_cuda_array_interface: expected an object with ") + kName +
                    ", got " + type_name(object));
  Ref interface = checked(PyObject_GetAttrString(object, kName));
  if (!PyDict_Check(interface.get()))
    malformed("expected a dict, got " + type_name(interface.get()));
  check_supported(interface.get());
  ForeignMemory memory;
  memory.dtype = dtype_from_numpy(entry(interface.get(), "typestr"));
  memory.shape = to_shape(entry(interface.get(), "shape"));
  memory.strides = to_strides(interface.get(), memory.shape, itemsize(memory.dtype));
  set_data(interface.get(), memory);
  memory.device = device_of(memory);
  require_device(memory.device);
  wait_for_producer(interface.get(), memory.device);
  return new_array(borrow_array(memory, kName, keep_alive(object)), object);
}

}  // namespace gpuarray::py
