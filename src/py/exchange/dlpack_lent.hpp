// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>

#include "array/array.hpp"
#include "py/binding/gil.hpp"
#include "py/exchange/dlpack.hpp"

// Tensors that we lend to others.
namespace gpuarray::py::dlpack {

// The device under which an array is known.
inline DeviceId own_id(const Array& array) {
  return from_device(array.device(), array.buffer()->kind());
}

// A tensor over the array's memory; `shape` and `strides` outlive it.
inline Tensor describe(const Array& array, DeviceId device, int64_t* shape, int64_t* strides) {
  return {.data = array.size() == 0 ? nullptr : array.data(),
          .device = device,
          .ndim = array.ndim(),
          .dtype = from_dtype(array.dtype()),
          .shape = shape,
          .strides = strides,
          .byte_offset = 0};
}

// Owns what a managed tensor lends: a share of the buffer, and the numbers that it points to.
template <class Managed>
struct Lent {
  BufferPtr buffer;
  int64_t shape[kMaxDims];
  int64_t strides[kMaxDims];
  Managed managed;
};

// With the GIL.
template <class Managed>
void drop(Managed* managed) noexcept {
  delete static_cast<Lent<Managed>*>(managed->manager);
}

// The deleter, called on any thread, with the GIL or without.
template <class Managed>
void release(Managed* managed) noexcept {
  if (!Py_IsInitialized()) return;
  GilHold gil;
  drop(managed);
}

// The caller, or who takes it over, calls its deleter.
template <class Managed>
Managed* lend(const Array& array, DeviceId device, uint64_t flags) {
  auto lent = std::make_unique_for_overwrite<Lent<Managed>>();
  lent->buffer = array.buffer();
  std::ranges::copy(array.shape(), lent->shape);
  std::ranges::copy(array.strides(), lent->strides);
  Managed& managed = lent->managed;
  managed.tensor = describe(array, device, lent->shape, lent->strides);
  managed.manager = lent.get();
  managed.deleter = &release<Managed>;
  if constexpr (std::is_same_v<Managed, ManagedTensorVersioned>) {
    managed.version = {kMajorVersion, kMinorVersion};
    managed.flags = flags;
  }
  return &lent.release()->managed;
}

}  // namespace gpuarray::py::dlpack
