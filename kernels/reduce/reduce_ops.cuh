// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// How the elements of a reduction combine. A thread steps a `local` over its elements, in ascending
// order; widen() makes it an accumulator, and accumulators combine in any grouping.
// combine(identity(), x) is x, and every combine is associative but for rounding.
#pragma once

#include "kernels/reduce/reduce_arg.cuh"
#include "kernels/reduce/reduce_moments.cuh"
#include "kernels/reduce/reduce_sums.cuh"

namespace gpuarray {

// The largest element, or the smallest if `negated`.
template <class T, bool negated>
struct extreme_reducer {
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

// The local is nonzero once it has seen a true element.
template <class T>
struct any_reducer {
  using value = T;
  using accumulator = bool;
  using result = bool;
  using local = uint32_t;
  static constexpr bool packed = sizeof(T) == 1;
  GPUARRAY_HD static local start() { return 0; }
  GPUARRAY_HD static void step(local& a, value element, uint32_t) { a |= cast<bool>(element); }
  GPUARRAY_HD static void step_word(local& a, uint32_t word) { a |= word; }
  GPUARRAY_HD static accumulator widen(local a, int64_t) { return a != 0; }
  GPUARRAY_HD static accumulator identity() { return false; }
  GPUARRAY_HD static accumulator combine(accumulator a, accumulator b) { return a | b; }
  GPUARRAY_HD static result finish(accumulator a) { return a; }
};

// The local is nonzero once it has seen a false element.
template <class T>
struct all_reducer {
  using value = T;
  using accumulator = bool;
  using result = bool;
  using local = uint32_t;
  static constexpr bool packed = sizeof(T) == 1;
  GPUARRAY_HD static local start() { return 0; }
  GPUARRAY_HD static void step(local& a, value element, uint32_t) { a |= !cast<bool>(element); }
  GPUARRAY_HD static void step_word(local& a, uint32_t word) { a |= zero_bytes(word); }
  GPUARRAY_HD static accumulator widen(local a, int64_t) { return a == 0; }
  GPUARRAY_HD static accumulator identity() { return true; }
  GPUARRAY_HD static accumulator combine(accumulator a, accumulator b) { return a & b; }
  GPUARRAY_HD static result finish(accumulator a) { return a; }
};

}  // namespace gpuarray
