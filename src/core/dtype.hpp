// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gpuarray {

enum class DType : uint8_t {
#define GPUARRAY_DTYPE(name, ...) name,
#include "kernels/dtypes.def"
};

struct DTypeInfo {
  const char* name;  // NumPy's name: "bool", "float32"
  char kind;         // NumPy's kind: b i u f c
  int itemsize;      // bytes
  const char* typestr;
};

inline constexpr int kDTypeCount = 15;
inline constexpr int kMaxItemsize = 16;

const DTypeInfo& info(DType dtype);
std::optional<DType> dtype_from_name(std::string_view name);

inline const char* name(DType dtype) { return info(dtype).name; }
inline int itemsize(DType dtype) { return info(dtype).itemsize; }
inline char kind(DType dtype) { return info(dtype).kind; }
inline bool is_integer(DType dtype) { return kind(dtype) == 'i' || kind(dtype) == 'u'; }
inline bool is_complex(DType dtype) { return kind(dtype) == 'c'; }

// The dtype of a complex dtype's parts; any other dtype itself.
DType real_dtype(DType dtype);

enum class Casting : uint8_t { no, equiv, safe, same_kind, unsafe };

// NumPy's can_cast; bfloat16 stands beside float16 (neither casts safely to the other).
bool can_cast(DType from, DType to, Casting casting);

// NumPy's promote_types; bfloat16 promotes with integers as float16 does, with float16 to float32.
DType promote(DType a, DType b);

// NEP 50: the dtype of an operation between `strong` and a weak Python scalar of `weak_kind` (i f
// c).
DType promote_weak(DType strong, char weak_kind);

}  // namespace gpuarray
