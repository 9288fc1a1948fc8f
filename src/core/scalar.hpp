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

// One element by value, as it lies in memory.
struct Scalar {
  alignas(16) unsigned char bytes[kMaxItemsize] = {};
  DType dtype = DType::bool_;
  bool oversized = false;  // a Python int that no integer dtype holds, as the nearest float64
  bool weak = false;    // a Python int, float or complex: takes the other operand's dtype (NEP 50)

  static Scalar of(std::same_as<bool> auto value) { return make(DType::bool_, value, false); }
  // The weak scalars of Python; integers oversized int64 come as uint64.
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
  T as() const {
    static_assert(std::is_trivially_copyable_v<T>);
    if constexpr (std::same_as<T, bool>) return bytes[0] != 0;  // any byte, as in arrays
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }

  // NumPy's kind of what was given: i for every Python int.
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
