// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// How the elements of a reduction combine: load each, combine in any grouping, finish.
// combine(identity(), x) is x, and every combine is associative but for rounding.
#pragma once

#include "kernels/cast.cuh"
#include "kernels/math.cuh"

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

template <class T>
struct sum_reducer {
  using value = T;
  using accumulator = typename sum_accumulator<T>::type;
  using result = T;
  GPUARRAY_HD static accumulator identity() { return accumulator{}; }
  GPUARRAY_HD static accumulator load(T element, int64_t) { return cast<accumulator>(element); }
  GPUARRAY_HD static accumulator combine(accumulator a, accumulator b) { return math::add(a, b); }
  GPUARRAY_HD static result finish(accumulator a) { return cast<T>(a); }
};

template <class T>
struct prod_reducer {
  using value = T;
  using accumulator = typename sum_accumulator<T>::type;
  using result = T;
  GPUARRAY_HD static accumulator identity() { return cast<accumulator>(true); }
  GPUARRAY_HD static accumulator load(T element, int64_t) { return cast<accumulator>(element); }
  GPUARRAY_HD static accumulator combine(accumulator a, accumulator b) {
    return math::multiply(a, b);
  }
  GPUARRAY_HD static result finish(accumulator a) { return cast<T>(a); }
};

// What max (or min if `negated`) starts from: nothing is smaller (larger).
template <class T, bool negated>
GPUARRAY_HD T extreme() {
  if constexpr (is_complex_v<T>)
    return {extreme<real_t<T>, negated>(), extreme<real_t<T>, negated>()};
  else if constexpr (is_float_v<T>)
    return negated ? infinity<T>() : math::negative(infinity<T>());
  else if constexpr (is_bool_v<T>)
    return negated;
  else
    return negated ? max_integer<T> : min_integer<T>;
}

template <class T>
struct max_reducer {
  using value = T;
  using accumulator = T;
  using result = T;
  GPUARRAY_HD static accumulator identity() { return extreme<T, false>(); }
  GPUARRAY_HD static accumulator load(T element, int64_t) { return element; }
  GPUARRAY_HD static accumulator combine(accumulator a, accumulator b) {
    return math::maximum(a, b);
  }
  GPUARRAY_HD static result finish(accumulator a) { return a; }
};

template <class T>
struct min_reducer {
  using value = T;
  using accumulator = T;
  using result = T;
  GPUARRAY_HD static accumulator identity() { return extreme<T, true>(); }
  GPUARRAY_HD static accumulator load(T element, int64_t) { return element; }
  GPUARRAY_HD static accumulator combine(accumulator a, accumulator b) {
    return math::minimum(a, b);
  }
  GPUARRAY_HD static result finish(accumulator a) { return a; }
};

template <class T>
struct any_reducer {
  using value = T;
  using accumulator = bool;
  using result = bool;
  GPUARRAY_HD static accumulator identity() { return false; }
  GPUARRAY_HD static accumulator load(T element, int64_t) { return cast<bool>(element); }
  GPUARRAY_HD static accumulator combine(accumulator a, accumulator b) { return a | b; }
  GPUARRAY_HD static result finish(accumulator a) { return a; }
};

template <class T>
struct all_reducer {
  using value = T;
  using accumulator = bool;
  using result = bool;
  GPUARRAY_HD static accumulator identity() { return true; }
  GPUARRAY_HD static accumulator load(T element, int64_t) { return cast<bool>(element); }
  GPUARRAY_HD static accumulator combine(accumulator a, accumulator b) { return a & b; }
  GPUARRAY_HD static result finish(accumulator a) { return a; }
};

template <class T>
struct Indexed {
  T value;
  int64_t index;  // -1: no element yet
};

// The first NaN, else the first largest (smallest if `negated`) element, in any order of combining.
template <class T, bool negated>
struct arg_reducer {
  using value = T;
  using accumulator = Indexed<T>;
  using result = int64_t;
  GPUARRAY_HD static accumulator identity() { return {extreme<T, negated>(), -1}; }
  GPUARRAY_HD static accumulator load(T element, int64_t index) { return {element, index}; }
  GPUARRAY_HD static accumulator combine(accumulator a, accumulator b) {
    return wins(a, b) ? a : b;
  }
  GPUARRAY_HD static result finish(accumulator a) { return a.index; }

 private:
  GPUARRAY_HD static bool wins(accumulator a, accumulator b) {
    if (a.index < 0 || b.index < 0) return b.index < 0;
    const bool nan_a = math::isnan(a.value), nan_b = math::isnan(b.value);
    if (nan_a != nan_b) return nan_a;
    const bool better = negated ? math::less(a.value, b.value) : math::less(b.value, a.value);
    const bool worse = negated ? math::less(b.value, a.value) : math::less(a.value, b.value);
    return better || (!worse && a.index < b.index);
  }
};

template <class T>
struct argmax_reducer : arg_reducer<T, false> {};
template <class T>
struct argmin_reducer : arg_reducer<T, true> {};

}  // namespace gpuarray
