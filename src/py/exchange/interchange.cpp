// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/exchange/interchange.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include "core/error.hpp"
#include "py/binding/gil_hold.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/numpy.hpp"
#include "runtime/driver/driver_types.hpp"
#include "runtime/stream/main_stream.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray::py {

bool is_foreign_array(PyObject* object) {
  if (is_ndarray(object) || is_numpy_scalar(object)) return false;
  return has_attribute(object, "__dlpack__") || has_attribute(object, "__cuda_array_interface__");
}

Ref import_foreign(PyObject* object, std::optional<bool> copy) {
  // DLPack comes first: it knows bfloat16, owns the memory, and orders the streams in the same
  // call.
  if (!has_attribute(object, "__dlpack__")) return import_cuda_array(object);
  try {
    return import_dlpack(object, nullptr, copy);
  } catch (const BufferError&) {
    // CuPy exports wrong tensors for negative strides; its CUDA array interface is right.
    if (!has_attribute(object, "__cuda_array_interface__")) throw;
    return import_cuda_array(object);
  }
}

Extent checked_extent(const ForeignMemory& memory, const char* what) {
  const int item = itemsize(memory.dtype);
  if (element_count(memory.shape, item) == 0) return {0, 0};
  Extent extent{0, item};
  for (int axis = 0; axis < memory.shape.size(); ++axis) {
    int64_t reach = 0;
    bool overflows = __builtin_mul_overflow(memory.shape[axis] - 1, memory.strides[axis], &reach) ||
                     __builtin_mul_overflow(reach, int64_t{item}, &reach);
    int64_t& end = reach < 0 ? extent.begin : extent.end;
    overflows = overflows || __builtin_add_overflow(end, reach, &end);
    if (overflows)
      throw BufferError(std::string(what) + ": strides " + to_string(memory.strides) +
                        " reach beyond 2**63 - 1 bytes");
  }
  return extent;
}

bool is_aligned(const ForeignMemory& memory) {
  const auto address = reinterpret_cast<uintptr_t>(memory.data);
  return element_count(memory.shape) == 0 ||
         address % static_cast<uintptr_t>(itemsize(memory.dtype)) == 0;
}

Array borrow_array(const ForeignMemory& memory, const char* what, std::function<void()> release) {
  if (!is_aligned(memory))
    throw BufferError(std::string(what) + ": the memory is not aligned for " + name(memory.dtype) +
                      "; copy the array first");
  const Extent extent = checked_extent(memory, what);
  const int64_t nbytes = extent.end - extent.begin;
  char* begin = nbytes > 0 ? static_cast<char*>(memory.data) + extent.begin : nullptr;
  BufferPtr buffer =
      Buffer::borrow(begin, nbytes, memory.device, memory.readonly, current_stream(memory.device),
                     std::move(release), memory.kind, memory.is_ready);
  return Array(std::move(buffer), memory.dtype, memory.shape, memory.strides, -extent.begin,
               !memory.readonly);
}

bool driver_orders(uintptr_t handle, const StreamPtr& stream) {
  return handle <= CU_STREAM_LEGACY && stream == main_stream(stream->device()) &&
         !stream->is_capturing();
}

void wait_for_handle(Device device, uintptr_t handle) {
  const StreamPtr& stream = current_stream(device);
  if (!driver_orders(handle, stream)) stream->wait_for(*external_stream(device, handle));
}

std::function<void()> keep_alive(PyObject* object) {
  std::shared_ptr<PyObject> owner(Ref::borrow(object).release(), drop_reference);
  return [owner]() mutable { owner.reset(); };
}

}  // namespace gpuarray::py
