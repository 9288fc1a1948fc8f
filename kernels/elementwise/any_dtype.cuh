// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Elements whose dtype in memory only the launch knows, converted as `cast` does.
#pragma once

#include "kernels/element/cast.cuh"

namespace gpuarray {

// The dtypes by number, as the host counts them.
enum class ElementDType : uint8_t {
#define GPUARRAY_DTYPE(name, ...) name,
#include "kernels/dtypes.def"
};

// The number of the dtype whose elements have type T.
template <class T>
inline constexpr ElementDType dtype_of = {};
#define GPUARRAY_DTYPE(name, T, ...) \
  template <>                        \
  inline constexpr ElementDType dtype_of<T> = ElementDType::name;
#include "kernels/dtypes.def"

// Return element `at` of an array of `dtype` as a T, and set it to one. They are not inlined,
// because every kernel would have its own copy of all conversions.
template <class T>
__device__ __noinline__ T load_as(const void* data, int64_t at, ElementDType dtype) {
  switch (dtype) {
#define GPUARRAY_DTYPE(name, From, ...) \
  case ElementDType::name:              \
    return cast<T>(From(static_cast<const stored_t<From>*>(data)[at]));
#include "kernels/dtypes.def"
  }
  return T();
}

template <class T>
__device__ __noinline__ void store_as(void* data, int64_t at, ElementDType dtype, T value) {
  switch (dtype) {
#define GPUARRAY_DTYPE(name, To, ...)                       \
  case ElementDType::name:                                  \
    static_cast<stored_t<To>*>(data)[at] = cast<To>(value); \
    return;
#include "kernels/dtypes.def"
  }
}

}  // namespace gpuarray
