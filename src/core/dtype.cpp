// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/dtype.hpp"

namespace gpuarray {
std::optional<DType> dtype_from_name(std::string_view name) {
  for (int index = 0; index < kDTypeCount; ++index)
    if (name == kDTypes[index].name) return static_cast<DType>(index);
  return std::nullopt;
}

DType real_dtype(DType dtype) {
  if (dtype == DType::complex64) return DType::float32;
  return dtype == DType::complex128 ? DType::float64 : dtype;
}

DType complex_dtype(DType dtype) {
  if (dtype == DType::float32) return DType::complex64;
  return dtype == DType::float64 ? DType::complex128 : dtype;
}

}  // namespace gpuarray
