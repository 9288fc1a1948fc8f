// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "kernels/element/element.cuh"

// Integer division by products (Granlund and Montgomery, "Division by invariant integers using
// multiplication", 1994).
namespace gpuarray::loops {

__extension__ typedef unsigned __int128 uint128_t;

// The unsigned types of T's bits, and of twice as many.
template <class T>
using dividend_t = unsigned_t<T>;
template <class T>
using wide_dividend_t =
    choose_t<sizeof(T) == 8, uint128_t,
             choose_t<sizeof(T) == 4, uint64_t, choose_t<sizeof(T) == 2, uint32_t, uint16_t>>>;

#ifdef __AVX2__
// A vector of words of 64 bits. Compilers make no vectors of products that are twice as wide as
// their factors, for which processors have an instruction.
#ifdef __AVX512F__
typedef uint64_t Words __attribute__((vector_size(64), aligned(1), may_alias));
inline Words lower_product(Words a, Words b) {
  return Words(_mm512_mul_epu32(__m512i(a), __m512i(b)));
}
#else
typedef uint64_t Words __attribute__((vector_size(32), aligned(1), may_alias));
inline Words lower_product(Words a, Words b) {
  return Words(_mm256_mul_epu32(__m256i(a), __m256i(b)));
}
#endif

// Returns the upper halves of the products of unsigned numbers of type N.
template <class N>
Words high_product(Words a, Words b) {
  constexpr uint64_t kUpper = ~uint64_t(0) << 32;
  if constexpr (sizeof(N) == 4)
    return lower_product(a, b) >> 32 | (lower_product(a >> 32, b) & kUpper);
  const Words b_upper = b >> 32, a_upper = a >> 32;
  const Words middle = lower_product(a_upper, b) + (lower_product(a, b) >> 32);
  const Words other = lower_product(a, b_upper) + (middle & ~kUpper);
  return lower_product(a_upper, b_upper) + (middle >> 32) + (other >> 32);
}
#endif

// Divides numbers of type N, which is unsigned, by one divisor of at least 2. `Wide` has twice the
// bits. Without `is_full` the numbers are at most half of N's range, as magnitudes are.
template <class N, class Wide, bool is_full>
class Inverse {
 public:
  explicit Inverse(N divisor) {
    int log = 0;  // of the divisor, rounded down
    while (Wide(divisor) >> (log + 1) != 0) ++log;
    const bool is_power = (divisor & (divisor - 1)) == 0;
    shift_ = N(is_power ? log - 1 : log);
    // The multiplier is 2**(kBits + shift) / divisor, rounded up where its error is small enough.
    const Wide scaled = Wide(Wide(1) << (kBits - 1)) << shift_;
    const Wide half = scaled / divisor, rest = 2 * (scaled % divisor);
    multiplier_ = N(2 * half + (rest >= divisor));
    const Wide error = divisor - (rest >= divisor ? rest - divisor : rest);
    rounds_down_ = is_full && !is_power && error >> log != 0;
    if (!is_power && !rounds_down_) ++multiplier_;
  }
  // Whether quotient() takes n + 1, or the largest n itself, for n.
  bool rounds_down() const { return rounds_down_; }
  N quotient(N n) const { return N(N((Wide(n) * multiplier_) >> kBits) >> shift_); }
#ifdef __AVX2__
  // Returns the quotients of a vector of numbers.
  template <class Lanes>
  Lanes quotients(Lanes n) const {
    const Words multiplier = Words(Lanes{} + multiplier_);
    return Lanes(high_product<N>(Words(n), multiplier)) >> (Lanes{} + shift_);
  }
#endif

 private:
  static constexpr int kBits = 8 * sizeof(N);
  N multiplier_, shift_;
  bool rounds_down_;
};

// As Inverse, for 8 bits: the upper half of one product of 16 bits is the quotient.
template <class Wide, bool is_full>
class Inverse<uint8_t, Wide, is_full> {
 public:
  explicit Inverse(uint8_t divisor) : multiplier_(uint16_t(0x10000 / divisor + 1)) {}
  static constexpr bool rounds_down() { return false; }
  uint8_t quotient(uint8_t n) const {
    return uint8_t(uint16_t((uint32_t(uint16_t(n)) * multiplier_) >> 16));
  }

 private:
  uint16_t multiplier_;
};

}  // namespace gpuarray::loops
