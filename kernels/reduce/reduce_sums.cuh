// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The reducers of sums and products, and the types that they accumulate in.
#pragma once

#include "kernels/element/cast.cuh"
#include "kernels/element/math_complex.cuh"
#include "kernels/element/math_integer.cuh"
#include "kernels/reduce/reduce_packed.cuh"

namespace gpuarray {

// The type in which sums and products of T accumulate: the next wider floating type, else T.
template <class T>
struct sum_accumulator {
  using type = T;
};
template <Half T>
struct sum_accumulator<T> {
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

// The type of one thread's sum: 32 bits for integers up to 16 bits and bools, which hold
// kReduceLongestWalk of them and wrap as a narrower `Loop` does; else the accumulator.
template <class Source, class Loop>
using sum_local_t = choose_t<
    is_integer_v<Loop> && (is_integer_v<Source> || is_bool_v<Source>) && sizeof(Source) <= 2,
    choose_t<is_signed_v<Source>, int32_t, uint32_t>, typename sum_accumulator<Loop>::type>;

// Computes the sum of elements of type Source as a Loop.
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
  GPUARRAY_HD static void step_word(local& a, uint32_t word) {
    a = add_bytes(a, is_bool_v<Source> ? nonzero_bytes(word) : word);
  }
  GPUARRAY_HD static accumulator widen(local a, int64_t) { return cast<accumulator>(a); }
  GPUARRAY_HD static accumulator identity() { return accumulator{}; }
  GPUARRAY_HD static accumulator combine(accumulator a, accumulator b) { return math::add(a, b); }
  GPUARRAY_HD static result finish(accumulator a) { return cast<result>(a); }
};

// Computes the product of elements of type Source as a Loop.
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

}  // namespace gpuarray
