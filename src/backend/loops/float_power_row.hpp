// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cmath>

#include "backend/loops/rows.hpp"
#include "kernels/element/functors.cuh"

// The loop of the powers of floats.
namespace gpuarray::loops {

// Returns the power of a positive number; bases for which it neither overflows nor underflows.
inline float regular_power(float size, float b) {
  const auto [k, f] = math::detail::reduce_log(size);
  return math::detail::power_of_log(math::detail::log2_for_float(k, f), b);
}
inline double regular_power(double size, double b) {
  return math::detail::power_of_log(math::detail::log2_in_two_parts(size), b);
}

// One exponent other than 0, and for which bases the power is regular_power() of the base's magnitude, with the
// base's sign if the exponent is odd.
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
    highest_ = math::isfinite(value) ? std::exp2(most) : T(0);
    lowest_ = 1 / highest_;
  }
  // Returns a number other than 0 if the power takes the loop of any bases.
  unsigned_t<T> refuses(T base) const {
    const T size = from_bits<T>(to_bits(base) & kept_);
    return unsigned_t<T>(!((size >= lowest_) & (size <= highest_)));
  }
  T power(T base) const {
    const T size = regular_power(math::absolute(base), value_);
    return from_bits<T>(to_bits(size) ^ (to_bits(base) & sign_));
  }

 private:
  T value_, lowest_, highest_;
  unsigned_t<T> kept_, sign_;  // bits of the base
};

// As binary_row. Where the exponent is the same for all elements, blocks of usual bases are
// computed without the conditions on it.
template <class Functor, NativeFloat T>
void float_power_row(char* const* data, const int64_t* steps, int64_t count) {
  if (steps[2] != 0) return binary_row<Functor, T>(data, steps, count);
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
