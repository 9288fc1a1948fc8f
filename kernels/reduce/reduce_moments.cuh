// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The reducers of mean and of var and std, each in one pass over the elements.
#pragma once

#include "kernels/reduce/reduce_params.hpp"
#include "kernels/reduce/reduce_sums.cuh"

namespace gpuarray {

// The type in which a mean adds up: 64-bit integers, which are exact, for integers up to 32 bits,
// else the loop's type.
template <class Source, class Loop>
using mean_loop_t = choose_t<(is_integer_v<Source> || is_bool_v<Source>) && sizeof(Source) <= 4,
                             choose_t<is_signed_v<Source>, int64_t, uint64_t>, Loop>;

// Computes the mean of elements of type Source as a Loop: their sum divided by the divisor.
template <class Source, class Loop = Source>
struct mean_reducer : sum_reducer<Source, mean_loop_t<Source, Loop>> {
  using sum = sum_reducer<Source, mean_loop_t<Source, Loop>>;
  using total_reducer = sum;
  using result = Loop;
  GPUARRAY_HD static result finish(typename sum::accumulator total, const Average& average) {
    using A = typename sum_accumulator<Loop>::type;
    if constexpr (is_complex_v<A>) {
      using R = real_t<A>;
      return cast<result>(A{total.re / R(average.divisor), total.im / R(average.divisor)});
    } else {
      return cast<result>(cast<A>(total) / A(average.divisor));
    }
  }
};

// Holds the moments of a set of elements, where A is double or complex<double>. The mean is shift +
// offset; the two are kept apart because their sum would lose digits where the mean is large
// compared with the distances.
template <class A>
struct Moments {
  A shift;
  A offset;
  double squares;  // the sum of squared distances from the mean
  double count;
};

// What a thread sums up: the distances of its elements from the first one (shift), and their
// squares. That needs no division for each element, and is as exact as two passes but for a factor
// of the number of a thread's elements (Chan, Golub, LeVeque, "Algorithms for computing the sample
// variance", 1983: shifted data).
template <class A>
struct ShiftedSums {
  A shift;
  A sum;
  double squares;
  uint32_t count;
};

// Computes the variance of elements of type Source in float64, or their standard deviation if
// Average::root is set.
template <class Source, class Loop = Source>
struct var_reducer {
  using A = choose_t<is_complex_v<Loop>, complex<double>, double>;
  using value = Source;
  using accumulator = Moments<A>;
  using result = real_t<Loop>;
  using local = ShiftedSums<A>;
  static constexpr bool packed = false;
  GPUARRAY_HD static local start() { return {}; }
  GPUARRAY_HD static void step(local& a, value element, uint32_t) {
    add(a, cast<A>(element), true);
  }
  // Adds an element, or if it does not count its distance alone.
  GPUARRAY_HD static void add(local& a, A x, bool counts) {
    if (a.count == 0) a.shift = x;
    const A distance = math::subtract(x, a.shift);
    a.sum = math::add(a.sum, distance);
    a.squares += square(distance);
    a.count += counts;
  }
  GPUARRAY_HD static accumulator widen(const local& a, int64_t) {
    if (a.count == 0) return {};
    const double share = 1 / double(a.count);
    const double squares = a.squares - square(a.sum) * share;
    return {a.shift, scaled(a.sum, share), squares < 0 ? 0 : squares, double(a.count)};
  }
  GPUARRAY_HD static accumulator identity() { return {}; }
  // Makes the moments of the union of two sets from those of each, by Chan's formulas.
  GPUARRAY_HD static accumulator combine(const accumulator& a, const accumulator& b) {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const double count = a.count + b.count;
    const double share =
        a.count == b.count ? 0.5 : b.count / count;  // equal counts need no division
    const A distance =
        math::add(math::subtract(b.shift, a.shift), math::subtract(b.offset, a.offset));
    return {a.shift, math::add(a.offset, scaled(distance, share)),
            a.squares + b.squares + square(distance) * a.count * share, count};
  }
  GPUARRAY_HD static result finish(const accumulator& a, const Average& average) {
    const double variance = a.squares / average.divisor;
    return cast<result>(average.root ? math::sqrt(variance) : variance);
  }

  GPUARRAY_HD static double square(double a) { return a * a; }
  GPUARRAY_HD static double square(complex<double> a) { return a.re * a.re + a.im * a.im; }

 private:
  GPUARRAY_HD static double scaled(double a, double factor) { return a * factor; }
  GPUARRAY_HD static complex<double> scaled(complex<double> a, double factor) {
    return {a.re * factor, a.im * factor};
  }
};

// A standard deviation is finished by Average::root.
template <class Source, class Loop = Source>
using std_reducer = var_reducer<Source, Loop>;

}  // namespace gpuarray
