// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/loops/rows.hpp"
#include "kernels/element/functors.cuh"

// The loops of integer division. One divisor for a whole row is multiplied by its inverse (Granlund
// and Montgomery, "Division by invariant integers using multiplication", 1994).
namespace gpuarray::loops {

// Divides any n of type N, which is unsigned, by one positive divisor. `Wide` has twice the bits.
template <class N, class Wide>
class Inverse {
 public:
  explicit Inverse(N divisor) {
    while ((Wide(1) << shift_) < divisor) ++shift_;
    multiplier_ = N((((Wide(1) << shift_) - divisor) << kBits) / divisor + 1);
  }
  N quotient(N n) const {
    const N high = N((Wide(n) * multiplier_) >> kBits);
    return N((Wide(high) + n) >> shift_);
  }

 private:
  static constexpr int kBits = 8 * sizeof(N);
  N multiplier_;
  int shift_ = 0;
};

__extension__ typedef unsigned __int128 uint128_t;

// The unsigned types in which a T is divided: 32 bits for those that have fewer.
template <class T>
using dividend_t = choose_t<sizeof(T) == 8, uint64_t, uint32_t>;
template <class T>
using wide_dividend_t = choose_t<sizeof(T) == 8, uint128_t, uint64_t>;

// What a row of divisions makes of an element and the quotient of its magnitude.
enum class Division { FLOOR, REMAINDER, FMOD };

// Divides by `right`, at least 1, towards minus infinity, or towards zero for FMOD.
template <Division division, class T>
void divide_by_one(T* out, const T* a, T right, int64_t count) {
  using N = dividend_t<T>;
  const Inverse<N, wide_dividend_t<T>> inverse{N(right)};
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    const T n = a[i];
    // For negative n, floor(n / d) is ~(~n / d); towards zero it is -(-n / d).
    const N sign = math::detail::is_negative(n) ? ~N(0) : N(0);
    const N carry = division == Division::FMOD ? N(sign & 1) : N(0);
    const N size = N((N(n) ^ sign) + carry);
    const N quotient = N((inverse.quotient(size) ^ sign) + carry);
    out[i] = division == Division::FLOOR ? T(quotient) : T(N(n) - quotient * N(right));
  }
}

template <class Functor, Division division, Integer T>
void division_row(char* const* data, const int64_t* steps, int64_t count) {
  if (steps[2] == 0) {
    const T right = *elements_at<T>(data[2]);
    if (right > 0)
      return divide_by_one<division>(reinterpret_cast<T*>(data[0]), elements_at<T>(data[1]), right,
                                     count);
  }
  binary_row<Functor, T>(data, steps, count);
}

}  // namespace gpuarray::loops
