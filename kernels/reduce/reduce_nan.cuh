// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The reducers that pass over NaN. A complex number is NaN if one of its parts is.
#pragma once

#include "kernels/reduce/reduce_arg.cuh"
#include "kernels/reduce/reduce_extremes.cuh"
#include "kernels/reduce/reduce_moments.cuh"
#include "kernels/reduce/reduce_sums.cuh"

namespace gpuarray {

// Whether an element as it is stored is NaN.
template <class T>
GPUARRAY_HD bool is_nan(T element) {
  return math::isnan(cast<compute_t<T>>(element));
}

// Reduces with the identity in the place of NaN.
template <class Reducer>
struct nan_as_identity : Reducer {
  using typename Reducer::local;
  using typename Reducer::value;
  GPUARRAY_HD static void step(local& a, value element, uint32_t position) {
    Reducer::step(a, is_nan(element) ? cast<value>(Reducer::identity()) : element, position);
  }
};

template <class Source, class Loop = Source>
using nansum_reducer = nan_as_identity<sum_reducer<Source, Loop>>;
template <class Source, class Loop = Source>
using nanprod_reducer = nan_as_identity<prod_reducer<Source, Loop>>;

// Finds the largest element but for NaN, or the smallest if `negated`. A total is NaN until a
// number was met.
template <class T, bool negated>
struct nan_extreme_reducer : extreme_reducer<T, negated> {
  using total_reducer = nan_extreme_reducer;
  using accumulator = compute_t<T>;
  using local = accumulator;
  GPUARRAY_HD static local start() { return identity(); }
  GPUARRAY_HD static void step(local& a, T element, uint32_t) {
    a = combine(a, cast<local>(element));
  }
  GPUARRAY_HD static accumulator identity() {
    const auto nan = gpuarray::nan<real_t<accumulator>>();
    if constexpr (is_complex_v<accumulator>)
      return {nan, nan};
    else
      return nan;
  }
  GPUARRAY_HD static accumulator combine(accumulator a, accumulator b) {
    // A NaN with one part that is a number keeps it; one with none is as the identity.
    if constexpr (is_complex_v<accumulator>)
      if (math::isnan(a.re) && math::isnan(a.im)) return b;
    return negated ? math::fmin(a, b) : math::fmax(a, b);
  }
};

template <class T>
struct nanmax_reducer : nan_extreme_reducer<T, false> {};
template <class T>
struct nanmin_reducer : nan_extreme_reducer<T, true> {};

// Finds the first largest element but for NaN, or the first smallest if `negated`, in whatever
// order accumulators combine. A total is NaN until a number was met.
template <class T, bool negated>
struct nan_arg_reducer : arg_reducer<T, negated> {
  using value_reducer = nan_extreme_reducer<T, negated>;
  using typename arg_reducer<T, negated>::accumulator;
  using typename arg_reducer<T, negated>::local;
  GPUARRAY_HD static local start() { return {value_reducer::identity(), 0}; }
  GPUARRAY_HD static void step(local& a, T element, uint32_t at) {
    const auto b = cast<compute_t<T>>(element);
    if (beats(b, a.value)) a = {b, at};
  }
  GPUARRAY_HD static accumulator widen(local a, int64_t first) {
    return {a.value, first + a.index};
  }
  GPUARRAY_HD static accumulator identity() { return {value_reducer::identity(), 0}; }
  GPUARRAY_HD static accumulator combine(accumulator a, accumulator b) {
    const bool wins = beats(a.value, b.value) | (!beats(b.value, a.value) & (a.index < b.index));
    return wins ? a : b;
  }
  GPUARRAY_HD static int64_t finish(accumulator a) { return math::isnan(a.value) ? -1 : a.index; }

 private:
  // Whether `a` is a number, and `b` is NaN or comes behind it.
  GPUARRAY_HD static bool beats(compute_t<T> a, compute_t<T> b) {
    return !(negated ? math::less_equal(b, a) : math::less_equal(a, b)) & !math::isnan(a);
  }
};

template <class T>
struct nanargmax_reducer : nan_arg_reducer<T, false> {};
template <class T>
struct nanargmin_reducer : nan_arg_reducer<T, true> {};

// A sum and the number of its summands.
template <class A, class Count>
struct Counted {
  A sum;
  Count count;
};

// Computes the mean of what is not NaN.
template <class Source, class Loop = Source>
struct nanmean_reducer {
  using sum_reducer = nansum_reducer<Source, Loop>;
  using value = Source;
  using accumulator = Counted<typename sum_reducer::accumulator, double>;
  using result = Loop;
  using local = Counted<typename sum_reducer::local, uint32_t>;
  static constexpr bool packed = false, counts_numbers = true;
  GPUARRAY_HD static local start() { return {sum_reducer::start(), 0}; }
  GPUARRAY_HD static void step(local& a, value element, uint32_t position) {
    sum_reducer::step(a.sum, element, position);
    a.count += !is_nan(element);
  }
  GPUARRAY_HD static accumulator widen(const local& a, int64_t first) {
    return {sum_reducer::widen(a.sum, first), double(a.count)};
  }
  GPUARRAY_HD static accumulator identity() { return {sum_reducer::identity(), 0}; }
  GPUARRAY_HD static accumulator combine(const accumulator& a, const accumulator& b) {
    return {sum_reducer::combine(a.sum, b.sum), a.count + b.count};
  }
  GPUARRAY_HD static result finish(const accumulator& a, const Average&) {
    return mean_reducer<Source, Loop>::finish(a.sum, {a.count, false, 0});
  }
};

// Computes the variance of what is not NaN, as var_reducer does.
template <class Source, class Loop = Source>
struct nanvar_reducer : var_reducer<Source, Loop> {
  using var = var_reducer<Source, Loop>;
  using typename var::A;
  using typename var::accumulator;
  using typename var::local;
  using typename var::result;
  static constexpr bool counts_numbers = true;
  GPUARRAY_HD static void step(local& a, Source element, uint32_t) {
    const bool counts = !is_nan(element);
    // The shift has no distance from itself; if it is infinite, the variance is NaN anyway.
    var::add(a, counts ? cast<A>(element) : a.shift, counts);
  }
  GPUARRAY_HD static result finish(const accumulator& a, const Average& average) {
    const double divisor = a.count - average.correction;
    return var::finish(a, {divisor > 0 ? divisor : nan<double>(), average.root, 0});
  }
};

template <class Source, class Loop = Source>
using nanstd_reducer = nanvar_reducer<Source, Loop>;

}  // namespace gpuarray
