// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/dtype.hpp"

#include <cstring>

namespace gpuarray {
namespace {

constexpr DTypeInfo row(const char* identifier, char kind, const char* typestr, int itemsize) {
  // The identifier of bool has an underscore, because `bool` is a keyword.
  return {kind == 'b' ? "bool" : identifier, kind, itemsize, typestr};
}

// Returns the bits of an element, read from the digits of the dtype's name, because core does not
// know the element types.
constexpr int bits_of(const char* identifier) {
  int bits = 0;
  for (const char* c = identifier; *c != 0; ++c)
    if (*c >= '0' && *c <= '9') bits = bits * 10 + (*c - '0');
  return bits == 0 ? 8 : bits;
}

constexpr DTypeInfo kInfo[] = {
#define GPUARRAY_DTYPE(name, type, kind, typestr) row(#name, kind, typestr, bits_of(#name) / 8),
#include "kernels/dtypes.def"
};
static_assert(std::size(kInfo) == kDTypeCount);

}  // namespace

const DTypeInfo& info(DType dtype) { return kInfo[static_cast<int>(dtype)]; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (int index = 0; index < kDTypeCount; ++index)
    if (name == kInfo[index].name) return static_cast<DType>(index);
  return std::nullopt;
}

DType real_dtype(DType dtype) {
  if (dtype == DType::complex64) return DType::float32;
  if (dtype == DType::complex128) return DType::float64;
  return dtype;
}

}  // namespace gpuarray
