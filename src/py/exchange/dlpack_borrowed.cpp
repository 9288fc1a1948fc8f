// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/exchange/dlpack_borrowed.hpp"

#include <functional>
#include <memory>
#include <string>

#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/exchange/interchange.hpp"
#include "runtime/device/device.hpp"

namespace gpuarray::py::dlpack {
namespace {

ForeignMemory to_memory(const Tensor& tensor, bool readonly, const char* what,
                        const ImportOptions& options) {
  if (tensor.ndim < 0 || tensor.ndim > kMaxDims)
    throw BufferError(std::string(what) + ": up to " + std::to_string(kMaxDims) +
                      " dimensions are supported, got " + std::to_string(tensor.ndim));
  if (tensor.ndim > 0 && tensor.shape == nullptr)
    throw BufferError(std::string(what) + ": the tensor has no shape");
  Place place = to_place(tensor.device);
  const bool is_shared = place.kind == MemoryKind::pinned || place.kind == MemoryKind::managed;
  if (is_shared && options.device != nullptr) place.device = *options.device;
  require_device(place.device);
  ForeignMemory memory;
  // The offset may be any number, by which no pointer may be moved.
  memory.data =
      reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(tensor.data) + tensor.byte_offset);
  memory.device = place.device;
  memory.kind = place.kind;
  memory.dtype = to_dtype(tensor.dtype);
  memory.readonly = readonly;
  for (int axis = 0; axis < tensor.ndim; ++axis) memory.shape.push_back(tensor.shape[axis]);
  if (element_count(memory.shape) > 0 && tensor.data == nullptr)
    throw BufferError(std::string(what) + ": the tensor has elements but no address");
  if (tensor.strides == nullptr) {
    memory.strides = contiguous_strides(memory.shape);
  } else {
    for (int axis = 0; axis < tensor.ndim; ++axis) memory.strides.push_back(tensor.strides[axis]);
  }
  return memory;
}

// Copies all bytes between the first and the last element, so that the strides stay valid.
// `release` runs when the copy is done, and not if this throws.
Array copy_bytes(const ForeignMemory& memory, const char* what, std::function<void()> release) {
  const Extent extent = checked_extent(memory, what);
  ForeignMemory bytes = memory;
  bytes.data = static_cast<char*>(memory.data) + extent.begin;
  bytes.dtype = DType::uint8;
  bytes.shape = {extent.end - extent.begin};
  bytes.strides = {1};
  auto done = std::make_shared<bool>(false);
  auto release_if_done = [done, release = std::move(release)] {
    if (*done) release();
  };
  const Array source = borrow_array(bytes, what, release_if_done);
  const Array copied = without_gil([&] { return ops::copy(source, 'C'); });
  *done = true;
  return copied.view_as(memory.dtype, memory.shape, memory.strides, -extent.begin);
}

}  // namespace

template <class Managed>
BorrowedArray borrow_tensor(Managed* managed, const char* what, const ImportOptions& options) {
  uint64_t flags = options.writes_unversioned ? 0 : kReadOnly;
  if constexpr (std::is_same_v<Managed, ManagedTensorVersioned>) {
    require_version(managed->version, what);
    flags = managed->flags;
  }
  const ForeignMemory memory = to_memory(managed->tensor, flags & kReadOnly, what, options);
  const auto release = [managed] { call_deleter(managed); };
  if (is_aligned(memory)) return {borrow_array(memory, what, release), (flags & kIsCopied) != 0};
  if (options.copy != false) return {copy_bytes(memory, what, release), true};
  throw BufferError(std::string(what) + ": the memory is not aligned for " + name(memory.dtype) +
                    ", so that a copy is needed; got copy=False");
}

template BorrowedArray borrow_tensor(ManagedTensor*, const char*, const ImportOptions&);
template BorrowedArray borrow_tensor(ManagedTensorVersioned*, const char*, const ImportOptions&);

}  // namespace gpuarray::py::dlpack
