// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/promote.hpp"

#include <algorithm>

namespace gpuarray {
namespace {

// Returns the smallest real floating dtype that holds an integer of this many bytes, as NumPy
// promotes.
DType float_for_integer(int itemsize) {
  if (itemsize == 1) return DType::float16;
  return itemsize == 2 ? DType::float32 : DType::float64;
}

DType signed_of(int itemsize) {
  if (itemsize == 1) return DType::int8;
  if (itemsize == 2) return DType::int16;
  return itemsize == 4 ? DType::int32 : DType::int64;
}

bool is_small_float(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

DType promote_integers(DType a, DType b) {
  if (kind(a) == kind(b)) return itemsize(a) >= itemsize(b) ? a : b;
  DType sign = kind(a) == 'i' ? a : b;
  DType none = kind(a) == 'i' ? b : a;
  if (itemsize(sign) > itemsize(none)) return sign;
  return itemsize(none) == 8 ? DType::float64 : signed_of(2 * itemsize(none));
}

DType promote_floats(DType a, DType b) {
  if (a == b) return a;
  if (is_small_float(a) && is_small_float(b)) return DType::float32;
  return itemsize(a) >= itemsize(b) ? a : b;
}

// Promotes an integer with a real floating dtype. NumPy lets an integer of 1 byte fit any of them.
DType promote_integer_float(DType integer, DType floating) {
  if (itemsize(integer) == 1) return floating;
  return promote_floats(float_for_integer(itemsize(integer)), floating);
}

// Ranks the kinds of dtypes in the order in which casting='same_kind' goes.
int kind_rank(DType dtype) {
  switch (kind(dtype)) {
    case 'b':
      return 0;
    case 'u':
      return 1;
    case 'i':
      return 2;
    case 'f':
      return 3;
    default:
      return 4;
  }
}

DType complex_of(DType real) { return itemsize(real) > 4 ? DType::complex128 : DType::complex64; }

}  // namespace

DType promote(DType a, DType b) {
  if (a == b || kind(b) == 'b') return a;
  if (kind(a) == 'b') return b;
  if (kind(a) == 'c' || kind(b) == 'c') {
    DType real = promote(real_dtype(a), real_dtype(b));
    return complex_of(is_integer(real) ? float_for_integer(itemsize(real)) : real);
  }
  if (is_integer(a) && is_integer(b)) return promote_integers(a, b);
  if (is_integer(a)) return promote_integer_float(a, b);
  if (is_integer(b)) return promote_integer_float(b, a);
  return promote_floats(a, b);
}

DType promote(std::span<const DType> dtypes) {
  if (dtypes.size() <= 2) return promote(dtypes.front(), dtypes.back());
  const auto lower = [](DType a, DType b) { return kind_rank(a) < kind_rank(b); };
  DType promoted = *std::max_element(dtypes.begin(), dtypes.end(), lower);
  for (DType dtype : dtypes) promoted = promote(promoted, dtype);
  return promoted;
}

DType promote_weak(DType strong, char weak_kind) {
  char strong_kind = kind(strong);
  if (weak_kind == 'i') return strong_kind == 'b' ? DType::int64 : strong;
  if (weak_kind == 'f') return strong_kind == 'f' || strong_kind == 'c' ? strong : DType::float64;
  if (strong_kind == 'c') return strong;
  return strong_kind == 'f' ? complex_of(strong) : DType::complex128;
}

bool can_cast(DType from, DType to, Casting casting) {
  if (from == to || casting == Casting::unsafe) return true;
  if (casting == Casting::no || casting == Casting::equiv) return false;
  if (promote(from, to) == to) return true;
  if (casting == Casting::safe) return false;
  // casting='same_kind' goes down in size within a kind, or up in kind; a signed integer never
  // becomes an unsigned one.
  return kind_rank(from) <= kind_rank(to);
}

}  // namespace gpuarray
