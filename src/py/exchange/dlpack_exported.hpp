// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>

#include "array/array.hpp"
#include "py/binding/gil.hpp"
#include "py/exchange/dlpack.hpp"

// Tensors over GPUArrays, for consumers of DLPack.
namespace gpuarray::py::dlpack {

// Returns the DLPack device of an array: that of its memory, whose kind counts.
inline DeviceId own_id(const Array& array) {
  return from_device(array.device(), array.buffer()->kind());
}

// Describes the array's memory without owning it. `shape` and `strides`, in elements, must outlive
// the tensor; so must the array.
inline Tensor describe(const Array& array, DeviceId device, int64_t* shape, int64_t* strides) {
  return {.data = array.size() == 0 ? nullptr : array.data(),
          .device = device,
          .ndim = array.ndim(),
          .dtype = from_dtype(array.dtype()),
          .shape = shape,
          .strides = strides,
          .byte_offset = 0};
}

// What a managed tensor owns: a share of the buffer, and the extents and strides it points to.
template <class Managed>
struct ExportedTensor {
  ~ExportedTensor() {
    if (buffer != nullptr) buffer->end_loan();
  }
  BufferPtr buffer;
  int64_t shape[kMaxDims];
  int64_t strides[kMaxDims];
  Managed managed;
};

// Destroys an exported tensor. The GIL must be held.
template <class Managed>
void destroy_exported(Managed* managed) noexcept {
  delete static_cast<ExportedTensor<Managed>*>(managed->manager);
}

// Deletes an exported tensor. Consumers may call it on any thread, with or without the GIL.
template <class Managed>
void delete_exported(Managed* managed) noexcept {
  if (!Py_IsInitialized()) return;
  GilHold gil;
  destroy_exported(managed);
}

// Exports the array as a tensor whose consumer, or else the caller, must call its deleter. `device`
// is what the consumer sees; `flags` are dropped for an unversioned tensor, which has none. Orders
// no streams: that is up to the caller.
template <class Managed>
Managed* export_tensor(const Array& array, DeviceId device, uint64_t flags) {
  auto exported = std::make_unique_for_overwrite<ExportedTensor<Managed>>();
  exported->buffer = array.buffer();
  exported->buffer->lend();
  std::ranges::copy(array.shape(), exported->shape);
  std::ranges::copy(array.strides(), exported->strides);
  Managed& managed = exported->managed;
  managed.tensor = describe(array, device, exported->shape, exported->strides);
  managed.manager = exported.get();
  managed.deleter = &delete_exported<Managed>;
  if constexpr (std::is_same_v<Managed, ManagedTensorVersioned>) {
    managed.version = {kMajorVersion, kMinorVersion};
    managed.flags = flags;
  }
  return &exported.release()->managed;
}

}  // namespace gpuarray::py::dlpack
