// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace gpuarray {

enum class DType : uint8_t {
#define GPUARRAY_DTYPE(name, ...) name,
#include "kernels/dtypes.def"
};

struct DTypeInfo {
  const char* name;      // NumPy's name: "bool", "float32"
  char kind;             // NumPy's kind: b i u f c
  int itemsize;          // bytes
  const char* typestr;   // NumPy's type string; of a dtype that NumPy lacks its name in ml_dtypes
  const char* cpp_type;  // "complex<float>"

  // Whether NumPy has the dtype itself, rather than by ml_dtypes.
  constexpr bool is_numpys() const { return typestr[0] == '<' || typestr[0] == '|'; }
};

// The digits of a name give an element's bits: core does not know the element types.
constexpr int bytes_of_name(const char* name) {
  int bits = 0;
  for (const char* c = name; *c != 0; ++c)
    if (*c >= '0' && *c <= '9') bits = bits * 10 + (*c - '0');
  return bits == 0 ? 1 : bits / 8;
}

// One a row of kernels/dtypes.def. The identifier of bool carries an underscore, as C++ has it.
inline constexpr DTypeInfo kDTypes[] = {
#define GPUARRAY_DTYPE_INFO(name, type, kind, typestr) \
  {kind == 'b' ? "bool" : #name, kind, bytes_of_name(#name), typestr, #type},
#define GPUARRAY_DTYPE(...) GPUARRAY_DTYPE_INFO(__VA_ARGS__)
#include "kernels/dtypes.def"
#undef GPUARRAY_DTYPE_INFO
};

inline constexpr int kDTypeCount = static_cast<int>(std::size(kDTypes));
inline constexpr int kMaxItemsize = 16;
static_assert(kDTypeCount <= 32, "masks of dtypes have 32 bits");

constexpr const DTypeInfo& info(DType dtype) { return kDTypes[static_cast<int>(dtype)]; }
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
