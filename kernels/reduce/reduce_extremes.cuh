// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The reducers of max and min.
#pragma once

#include "kernels/element/cast.cuh"
#include "kernels/element/math_compare.cuh"

namespace gpuarray {

// Returns the value that max (or min if `negated`) starts from: no number is smaller (larger).
template <class T, bool negated>
GPUARRAY_HD T extreme() {
  if constexpr (is_complex_v<T>) {
    return {extreme<real_t<T>, negated>(), extreme<real_t<T>, negated>()};
  } else if constexpr (is_float_v<T>) {
    constexpr auto sign = negated ? 0 : FloatLayout<T>::sign;
    return from_bits<T>(FloatLayout<T>::infinity | sign);
  } else if constexpr (is_bool_v<T>) {
    return negated;
  } else {
    return negated ? max_integer<T> : min_integer<T>;
  }
}

// Finds the largest element, or the smallest if `negated`.
template <class T, bool negated>
struct extreme_reducer {
  using total_reducer = extreme_reducer;
  using value = T;
  using accumulator = compute_t<T>;
  using result = T;
  using local = accumulator;
  static constexpr bool packed = false;
  GPUARRAY_HD static local start() { return identity(); }
  GPUARRAY_HD static void step(local& a, value element, uint32_t) {
    a = combine(a, cast<local>(element));
  }
  GPUARRAY_HD static accumulator widen(local a, int64_t) { return a; }
  GPUARRAY_HD static accumulator identity() { return extreme<accumulator, negated>(); }
  GPUARRAY_HD static accumulator combine(accumulator a, accumulator b) {
    return negated ? math::minimum(a, b) : math::maximum(a, b);
  }
  GPUARRAY_HD static result finish(accumulator a) { return cast<result>(a); }
};

template <class T>
struct max_reducer : extreme_reducer<T, false> {};
template <class T>
struct min_reducer : extreme_reducer<T, true> {};

}  // namespace gpuarray
