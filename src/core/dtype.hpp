// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace gpuarray {

// The dtypes of arrays, one a row of kernels/dtypes.def.
enum class DType : uint8_t {
#define GPUARRAY_DTYPE(name, ...) name,
#include "kernels/dtypes.def"
};

// What is known of a dtype.
struct DTypeInfo {
  const char* name;     // NumPy's name: "bool", "float32"
  char kind;            // NumPy's kind: b i u f c
  int itemsize;         // bytes
  const char* typestr;  // NumPy's type string, or the name in ml_dtypes of a dtype that NumPy lacks
  const char* cpp_type;  // the element's type in kernels/: "complex<float>"

  // Whether the dtype is NumPy's own and not one of ml_dtypes.
  constexpr bool is_numpys() const { return typestr[0] == '<' || typestr[0] == '|'; }
};

// Returns the bytes of an element, read from the digits of the dtype's name, because core does not
// know the element types.
constexpr int bytes_of_name(const char* name) {
  int bits = 0;
  for (const char* c = name; *c != 0; ++c)
    if (*c >= '0' && *c <= '9') bits = bits * 10 + (*c - '0');
  return bits == 0 ? 1 : bits / 8;
}

// The dtypes by number. The identifier of bool has an underscore, because `bool` is a keyword.
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

// Returns what is known of a dtype.
constexpr const DTypeInfo& info(DType dtype) { return kDTypes[static_cast<int>(dtype)]; }
// Returns the dtype of NumPy's name; nullopt if there is none.
std::optional<DType> dtype_from_name(std::string_view name);

inline const char* name(DType dtype) { return info(dtype).name; }
constexpr int itemsize(DType dtype) { return info(dtype).itemsize; }
constexpr char kind(DType dtype) { return info(dtype).kind; }
inline bool is_integer(DType dtype) { return kind(dtype) == 'i' || kind(dtype) == 'u'; }
inline bool is_inexact(DType dtype) { return !is_integer(dtype) && dtype != DType::bool_; }
inline bool is_complex(DType dtype) { return kind(dtype) == 'c'; }

// Returns the dtype that elements are computed in: float32 for float16 and bfloat16, else `dtype`
// (compute_t of kernels/element/element.cuh).
constexpr DType compute_dtype(DType dtype) {
  return kind(dtype) == 'f' && itemsize(dtype) == 2 ? DType::float32 : dtype;
}

// Returns the dtype of a complex dtype's parts; any other dtype itself.
DType real_dtype(DType dtype);
// Returns the complex dtype whose parts are of a real one, float32 or float64; any other dtype
// itself.
DType complex_dtype(DType dtype);

// NumPy's casting rules.
enum class Casting : uint8_t { no, equiv, safe, same_kind, unsafe };

// Whether NumPy's can_cast() allows the cast. bfloat16 ranks with float16, and neither casts safely
// to the other.
bool can_cast(DType from, DType to, Casting casting);

// Returns NumPy's promote_types() of two dtypes. bfloat16 promotes with integers as float16 does,
// and with float16 to float32.
DType promote(DType a, DType b);

// Returns the dtype of an operation between `strong` and a weak Python scalar of kind `weak_kind`
// (i, f or c), by NEP 50.
DType promote_weak(DType strong, char weak_kind);

}  // namespace gpuarray
