// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/dtype.hpp"

namespace gpuarray {

// One element by value, with the bytes that it has in an array.
struct Scalar {
  alignas(16) unsigned char bytes[kMaxItemsize] = {};
  DType dtype = DType::bool_;
  // A Python int that no integer dtype holds; `bytes` are the nearest float64.
  bool oversized = false;
  // A Python int, float or complex, which takes the other operand's dtype (NEP 50).
  bool weak = false;

  // Makes a scalar of dtype bool.
  static Scalar of(std::same_as<bool> auto value) { return make(DType::bool_, value, false); }
  // The following make weak scalars from Python's numbers. An integer beyond int64 is a weak_uint,
  // one beyond uint64 a weak_oversized_int.
  static Scalar weak_int(int64_t value) { return make(DType::int64, value, true); }
  static Scalar weak_uint(uint64_t value) { return make(DType::uint64, value, true); }
  static Scalar weak_oversized_int(double nearest) {
    Scalar scalar = make(DType::float64, nearest, true);
    scalar.oversized = true;
    return scalar;
  }
  static Scalar weak_float(double value) { return make(DType::float64, value, true); }
  static Scalar weak_complex(std::complex<double> value) {
    return make(DType::complex128, value, true);
  }

  template <class T>
  // Returns the element as a T, which must be the C++ type of `dtype`.
  T as() const {
    static_assert(std::is_trivially_copyable_v<T>);
    // Any byte but 0 is true, as in arrays.
    if constexpr (std::same_as<T, bool>) return bytes[0] != 0;
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }

  // Returns NumPy's kind of the value that was given: every Python int has kind i.
  char given_kind() const {
    if (oversized || dtype == DType::uint64) return weak ? 'i' : kind(dtype);
    return kind(dtype);
  }

 private:
  template <class T>
  static Scalar make(DType dtype, T value, bool weak) {
    Scalar scalar;
    std::memcpy(scalar.bytes, &value, sizeof(T));
    scalar.dtype = dtype;
    scalar.weak = weak;
    return scalar;
  }
};

}  // namespace gpuarray
