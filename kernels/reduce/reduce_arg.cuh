// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The reducers of argmax and argmin.
#pragma once

#include "kernels/reduce/reduce_extremes.cuh"

namespace gpuarray {

// Holds an element and its index.
template <class T, class Index>
struct Indexed {
  T value;
  Index index;
};

// Finds the first NaN, or else the first largest (smallest if `negated`) element, in whatever order
// accumulators combine. An index stays the largest of its type until an element beats extreme(); if
// none does, all elements equal extreme(), and the first of them is element 0.
template <class T, bool negated>
struct arg_reducer {
  using value_reducer = extreme_reducer<T, negated>;  // finds the value alone
  using value = T;
  using accumulator = Indexed<compute_t<T>, int64_t>;
  using result = int64_t;
  using local = Indexed<compute_t<T>, uint32_t>;
  static constexpr bool packed = false;
  GPUARRAY_HD static local start() { return {extreme<compute_t<T>, negated>(), ~uint32_t(0)}; }
  GPUARRAY_HD static void step(local& a, value element, uint32_t at) {
    const auto b = cast<compute_t<T>>(element);
    const bool first_nan = math::isnan(b) & !math::isnan(a.value);
    if (beats(b, a.value) | first_nan) a = {b, at};
  }
  // `first` is the index of the element at position 0 of the chunk.
  GPUARRAY_HD static accumulator widen(local a, int64_t first) {
    return {a.value, a.index == ~uint32_t(0) ? max_integer<int64_t> : first + a.index};
  }
  GPUARRAY_HD static accumulator identity() {
    return {extreme<compute_t<T>, negated>(), max_integer<int64_t>};
  }
  GPUARRAY_HD static accumulator combine(accumulator a, accumulator b) {
    return wins(a, b) ? a : b;
  }
  GPUARRAY_HD static result finish(accumulator a) {
    return a.index == max_integer<int64_t> ? 0 : a.index;
  }

 private:
  GPUARRAY_HD static bool beats(compute_t<T> a, compute_t<T> b) {
    return negated ? math::less(a, b) : math::less(b, a);
  }
  GPUARRAY_HD static bool wins(accumulator a, accumulator b) {
    const bool nan_a = math::isnan(a.value), nan_b = math::isnan(b.value);
    if (nan_a != nan_b) return nan_a;
    return beats(a.value, b.value) | (!beats(b.value, a.value) & (a.index < b.index));
  }
};

// Finds the largest complex number, or the smallest if `negated`. Of several NaNs, which differ in
// their other parts, it is the first, so their places are compared too.
template <class T, bool negated>
struct first_extreme_reducer {
  using places = arg_reducer<T, negated>;
  using any_nan = extreme_reducer<T, negated>;  // finds the same, but any of the NaNs
  using value = T;
  using accumulator = typename places::accumulator;
  using result = T;
  using local = typename places::local;
  static constexpr bool packed = false;
  GPUARRAY_HD static local start() { return places::start(); }
  GPUARRAY_HD static void step(local& a, value element, uint32_t at) {
    places::step(a, element, at);
  }
  GPUARRAY_HD static accumulator widen(local a, int64_t first) { return places::widen(a, first); }
  GPUARRAY_HD static accumulator identity() { return places::identity(); }
  GPUARRAY_HD static accumulator combine(accumulator a, accumulator b) {
    return places::combine(a, b);
  }
  GPUARRAY_HD static result finish(accumulator a) { return cast<result>(a.value); }
};

template <class R>
struct max_reducer<complex<R>> : first_extreme_reducer<complex<R>, false> {};
template <class R>
struct min_reducer<complex<R>> : first_extreme_reducer<complex<R>, true> {};

template <class T>
struct argmax_reducer : arg_reducer<T, false> {};
template <class T>
struct argmin_reducer : arg_reducer<T, true> {};

}  // namespace gpuarray
