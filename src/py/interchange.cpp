// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/interchange.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include "core/error.hpp"
#include "py/gil.hpp"
#include "py/numpy.hpp"
#include "runtime/stream.hpp"

namespace gpuarray::py {

bool has_attribute(PyObject* object, const char* name) {
  return PyObject_HasAttrString(object, name) == 1;
}

bool is_foreign_array(PyObject* object) {
  if (is_ndarray(object) || is_numpy_scalar(object)) return false;
  return has_attribute(object, "__dlpack__") || has_attribute(object, "__cuda_array_interface__");
}

Ref import_foreign(PyObject* object) {
  // DLPack first: it names bfloat16, owns the memory and orders streams in one call.
  if (has_attribute(object, "__dlpack__")) return import_dlpack(object, nullptr, std::nullopt);
  return import_cuda_array(object);
}

Array borrow_array(const ForeignMemory& memory, const char* what, std::function<void()> release) {
  const int64_t size = element_count(memory.shape);
  const int item = itemsize(memory.dtype);
  if (size > 0 && reinterpret_cast<uintptr_t>(memory.data) % static_cast<uintptr_t>(item) != 0)
    throw BufferError(std::string(what) + ": the memory is not aligned for " + name(memory.dtype) +
                      "; copy the array first");
  const Extent extent = byte_extent(memory.shape, memory.strides, item);
  char* begin = size > 0 ? static_cast<char*>(memory.data) + extent.begin : nullptr;
  const int64_t nbytes = size > 0 ? extent.end - extent.begin : 0;
  BufferPtr buffer = Buffer::borrow(begin, nbytes, memory.device, memory.readonly,
                                    current_stream(memory.device), std::move(release));
  return Array(std::move(buffer), memory.dtype, memory.shape, memory.strides,
               size > 0 ? -extent.begin : 0, !memory.readonly);
}

std::function<void()> keep_alive(PyObject* object) {
  auto drop = [](PyObject* kept) {
    if (!Py_IsInitialized()) return;  // the interpreter took the object with it
    GilHold gil;
    Ref::steal(kept);
  };
  std::shared_ptr<PyObject> owner(Ref::borrow(object).release(), drop);
  return [owner]() mutable { owner.reset(); };
}

}  // namespace gpuarray::py
