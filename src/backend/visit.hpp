// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdlib>

#include "core/dtype.hpp"
#include "kernels/element/element.cuh"

namespace gpuarray {

// The C++ type of the elements of `dtype`: element_of<DType::bfloat16>::type.
template <DType dtype>
struct element_of;
#define GPUARRAY_ELEMENT(name, ...) \
  template <>                       \
  struct element_of<DType::name> {  \
    using type = __VA_ARGS__;       \
  };
#define GPUARRAY_DTYPE(name, type, ...) GPUARRAY_ELEMENT(name, type)
#include "kernels/dtypes.def"
#undef GPUARRAY_ELEMENT

// Calls function.template operator()<T>() with T the C++ type of `dtype`, and returns its result.
template <class Function>
decltype(auto) visit_dtype(DType dtype, Function&& function) {
  switch (dtype) {
#define GPUARRAY_DTYPE(name, ...) \
  case DType::name:               \
    return function.template operator()<element_of<DType::name>::type>();
#include "kernels/dtypes.def"
  }
  std::abort();
}

}  // namespace gpuarray
