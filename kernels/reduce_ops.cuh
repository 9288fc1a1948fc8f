// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// How the elements of a reduction combine. A thread steps a `local` over its elements, in ascending
// order; widen() makes it an accumulator, and accumulators combine in any grouping.
// combine(identity(), x) is x, and every combine is associative but for rounding.
#pragma once

#include "kernels/cast.cuh"
#include "kernels/math.cuh"
#include "kernels/reduce_arg.cuh"
#include "kernels/reduce_packed.cuh"

namespace gpuarray {

template <class T>
struct sum_accumulator {
  using type = T;
};
template <>
struct sum_accumulator<half> {
  using type = float;
};
template <>
struct sum_accumulator<bfloat16> {
  using type = float;
};
template <>
struct sum_accumulator<float> {
  using type = double;
};
template <>
struct sum_accumulator<complex<float>> {
  using type = complex<double>;
};

// 32 bits hold any thread's sum of small integers (kReduceLongestWalk), and wrap as a narrower
// `Loop` does.
template <class Source, class Loop>
using sum_local_t = choose_t<
    is_integer_v<Loop> && (is_integer_v<Source> || is_bool_v<Source>) && sizeof(Source) <= 2,
    choose_t<is_signed_v<Source>, int32_t, uint32_t>, typename sum_accumulator<Loop>::type>;

// Sums of `Source` elements, each converted to `Loop`.
template <class Source, class Loop = Source>
struct sum_reducer {
  using value = Source;
  using accumulator = typename sum_accumulator<Loop>::type;
  using result = Loop;
  using local = sum_local_t<Source, Loop>;
  static constexpr bool packed = sizeof(Source) == 1 && sizeof(local) == 4;
  GPUARRAY_HD static local start() { return local{}; }
  GPUARRAY_HD static void step(local& a, value element, uint32_t) {
    a = math::add(a, cast<local>(element));
  }
  GPUARRAY_HD static void step_word(local& a, uint32_t word) { a = add_bytes(a, word); }
  GPUARRAY_HD static accumulator widen(local a, int64_t) { return cast<accumulator>(a); }
  GPUARRAY_HD static accumulator identity() { return accumulator{}; }
  GPUARRAY_HD static accumulator combine(accumulator a, accumulator b) { return math::add(a, b); }
  GPUARRAY_HD static result finish(accumulator a) { return cast<result>(a); }
};

template <class Source, class Loop = Source>
struct prod_reducer {
  using value = Source;
  using accumulator = typename sum_accumulator<Loop>::type;
  using result = Loop;
  using local = accumulator;
  static constexpr bool packed = false;
  GPUARRAY_HD static local start() { return identity(); }
  GPUARRAY_HD static void step(local& a, value element, uint32_t) {
    a = math::multiply(a, cast<local>(element));
  }
  GPUARRAY_HD static accumulator widen(local a, int64_t) { return a; }
  GPUARRAY_HD static accumulator identity() { return cast<accumulator>(true); }
  GPUARRAY_HD static accumulator combine(accumulator a, accumulator b) {
    return math::multiply(a, b);
  }
  GPUARRAY_HD static result finish(accumulator a) { return cast<result>(a); }
};

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
