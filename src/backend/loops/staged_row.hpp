// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cmath>

#include "backend/loops/rows.hpp"
#include "kernels/element/functors.cuh"

// Loops over functions that are free of branches for all but a few arguments.
namespace gpuarray::loops {

// Where value is true, direct() is the functor without branches, and right for the arguments that
// covers() tells, which has no branches either.
template <class Functor>
struct Staged {
  static constexpr bool value = false;
};

#define GPUARRAY_STAGED(name)                                   \
  template <Float T>                                            \
  struct Staged<name##_functor<T>> {                            \
    static constexpr bool value = true;                         \
    static T direct(T a) { return math::direct::name(a); }      \
    static bool covers(T a) { return math::direct::covers(a); } \
  };
GPUARRAY_STAGED(sin)
GPUARRAY_STAGED(cos)
GPUARRAY_STAGED(tan)
#undef GPUARRAY_STAGED

#define GPUARRAY_STAGED_DIVISION(name)                                  \
  template <NativeFloat T>                                              \
  struct Staged<name##_functor<T>> {                                    \
    static constexpr bool value = true;                                 \
    static T direct(T a, T b) { return math::direct::name(a, b); }      \
    static bool covers(T a, T b) { return math::direct::covers(a, b); } \
  };
GPUARRAY_STAGED_DIVISION(fmod)
GPUARRAY_STAGED_DIVISION(remainder)
GPUARRAY_STAGED_DIVISION(floor_divide)
#undef GPUARRAY_STAGED_DIVISION

// A RowLoop of a staged functor. It computes a block by direct(), and then anew by the functor the
// elements that are not covered. The result may be the operand.
template <class Functor, class T>
void staged_row(char* const* data, const int64_t*, int64_t count) {
  constexpr int64_t kBlock = 256;
  T results[kBlock];
  auto* out = reinterpret_cast<T*>(data[0]);
  const auto* a = elements_at<T>(data[1]);
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t size = count - begin < kBlock ? count - begin : kBlock;
    const T* from = a + begin;
    unsigned_t<T> uncovered = 0;  // as wide as T, so that it is part of the vectors
    for (int64_t i = 0; i < size; ++i) {
      results[i] = Staged<Functor>::direct(from[i]);
      uncovered |= unsigned_t<T>(!Staged<Functor>::covers(from[i]));
    }
    if (uncovered != 0)
      for (int64_t i = 0; i < size; ++i)
        if (!Staged<Functor>::covers(from[i])) results[i] = Functor::apply(from[i]);
    for (int64_t i = 0; i < size; ++i) out[begin + i] = results[i];
  }
}

// As staged_row, for functors of two numbers.
template <class Functor, class T>
void staged_binary_row(char* const* data, const int64_t* steps, int64_t count) {
  constexpr int64_t kBlock = 256;
  T results[kBlock], repeated[kBlock];
  auto* out = reinterpret_cast<T*>(data[0]);
  const T *a = elements_at<T>(data[1]), *b = elements_at<T>(data[2]);
  if (steps[1] == 0 || steps[2] == 0)
    for (T& each : repeated) each = steps[2] == 0 ? *b : *a;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t size = count - begin < kBlock ? count - begin : kBlock;
    const T* left = steps[1] == 0 && steps[2] != 0 ? repeated : a + begin;
    const T* right = steps[2] == 0 ? repeated : b + begin;
    unsigned_t<T> uncovered = 0;
    for (int64_t i = 0; i < size; ++i) {
      results[i] = Staged<Functor>::direct(left[i], right[i]);
      uncovered |= unsigned_t<T>(!Staged<Functor>::covers(left[i], right[i]));
    }
    if (uncovered != 0)
      for (int64_t i = 0; i < size; ++i)
        if (!Staged<Functor>::covers(left[i], right[i]))
          results[i] = Functor::apply(left[i], right[i]);
    for (int64_t i = 0; i < size; ++i) out[begin + i] = results[i];
  }
}

// Exponents beyond this have no exact products without a fused multiply-add.
template <NativeFloat T>
inline constexpr T kLargestExponent = is_same_v<T, float> ? T(0x1p127f) : T(0x1p900);

// The power of a positive normal number, and its logarithm, which is to the base 2 for float.
template <NativeFloat T>
struct RegularPower {
  T power;
  T log;

  // Returns a number other than 0 if `base` or the power is not positive and normal, or if the
  // exponent is too large.
  unsigned_t<T> refuses(T base, T exponent) const {
    const T lowest = from_bits<T>(unsigned_t<T>(1) << FloatLayout<T>::fraction_bits);
    constexpr T most = is_same_v<T, float> ? T(120) : T(700);
    const bool regular = (base >= lowest) & (base < infinity<T>());
    const bool exact = is_same_v<T, float> || math::absolute(exponent) <= kLargestExponent<T>;
    return unsigned_t<T>(!(regular & exact & (math::absolute(log) < most)));
  }
};

inline RegularPower<float> regular_power(float base, float exponent) {
  const auto [k, f] = math::detail::reduce_log(base);
  const double log2 = math::detail::log2_for_float(k, f);
  return {math::detail::power_of_log(log2, exponent), float(exponent * log2)};
}
inline RegularPower<double> regular_power(double base, double exponent) {
  const auto [log, low] = math::detail::log_in_two_parts(base, 0.0);
  const auto [product, lost] = math::detail::two_product(exponent, log);
  return {math::detail::regular_power_of_log(product, lost + exponent * low), product};
}

// One exponent other than 0, and for which bases the power is regular_power() of the base's
// magnitude, with the base's sign if the exponent is odd.
template <NativeFloat T>
class Exponent {
 public:
  explicit Exponent(T value) : value_(value) {
    using Layout = FloatLayout<T>;
    const bool whole = ::rint(value) == value;
    const bool odd = whole && ::rint(value / 2) != value / 2;
    kept_ = whole ? ~Layout::sign : ~unsigned_t<T>(0);
    sign_ = odd ? Layout::sign : unsigned_t<T>(0);
    // Powers of bases between these are normal numbers.
    const T range = (Layout::bias - 2) / math::absolute(value);
    const T most = range < Layout::bias - 2 ? range : T(Layout::bias - 2);
    highest_ = math::absolute(value) <= kLargestExponent<T> ? std::exp2(most) : T(0);
    lowest_ = 1 / highest_;
  }
  // Returns a number other than 0 if the power takes the loop of any bases.
  unsigned_t<T> refuses(T base) const {
    const T size = from_bits<T>(to_bits(base) & kept_);
    return unsigned_t<T>(!((size >= lowest_) & (size <= highest_)));
  }
  T power(T base) const {
    const T size = regular_power(math::absolute(base), value_).power;
    return from_bits<T>(to_bits(size) ^ (to_bits(base) & sign_));
  }

 private:
  T value_, lowest_, highest_;
  unsigned_t<T> kept_, sign_;  // bits of the base
};

// As binary_row, for powers. Computes a block without the conditions on bases and powers, and by
// the functor if they do not hold for all its elements.
template <class Functor, NativeFloat T>
void float_powers_row(char* const* data, const int64_t* steps, int64_t count) {
  constexpr int64_t kBlock = 256;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t size = count - begin < kBlock ? count - begin : kBlock;
    char* at[3];
    for (int k = 0; k < 3; ++k) at[k] = data[k] + begin * steps[k] * int64_t(sizeof(T));
    T results[kBlock];  // as the result may be an operand
    const T *a = elements_at<T>(at[1]), *b = elements_at<T>(at[2]);
    unsigned_t<T> refused = 0;
    const auto compute = [&](auto base_at) {
      for (int64_t i = 0; i < size; ++i) {
        const T base = base_at(i);
        const RegularPower<T> made = regular_power(base, b[i]);
        results[i] = made.power;
        refused |= made.refuses(base, b[i]);
      }
    };
    if (steps[1] == 0)
      compute([base = *a](int64_t) { return base; });
    else
      compute([a](int64_t i) { return a[i]; });
    if (refused != 0)
      binary_row<Functor, T>(at, steps, size);
    else
      for (int64_t i = 0; i < size; ++i) reinterpret_cast<T*>(at[0])[i] = results[i];
  }
}

// As float_powers_row. Where the exponent is the same for all elements, the bases of a block tell
// whether the conditions hold.
template <class Functor, NativeFloat T>
void float_power_row(char* const* data, const int64_t* steps, int64_t count) {
  if (steps[2] != 0) return float_powers_row<Functor, T>(data, steps, count);
  constexpr int64_t kBlock = 256;
  const T value = *elements_at<T>(data[2]);
  if (value == 0) {
    for (int64_t i = 0; i < count; ++i) reinterpret_cast<T*>(data[0])[i] = T(1);
    return;
  }
  const Exponent<T> exponent(value);
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t size = count - begin < kBlock ? count - begin : kBlock;
    char* const at[] = {data[0] + begin * int64_t(sizeof(T)), data[1] + begin * int64_t(sizeof(T)),
                        data[2]};
    auto* out = reinterpret_cast<T*>(at[0]);
    const T* a = elements_at<T>(at[1]);
    unsigned_t<T> refused = 0;
    for (int64_t i = 0; i < size; ++i) refused |= exponent.refuses(a[i]);
    if (refused != 0) {
      repeating_row<Functor, T>(at, steps, size);
      continue;
    }
#pragma GCC ivdep
    for (int64_t i = 0; i < size; ++i) out[i] = exponent.power(a[i]);
  }
}

}  // namespace gpuarray::loops
