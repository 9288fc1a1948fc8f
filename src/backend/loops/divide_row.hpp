// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cmath>

#include "backend/loops/rows.hpp"
#include "backend/loops/words.hpp"
#include "kernels/element/functors.cuh"

// The loops of integers' division and powers. One divisor for a whole row is multiplied by its
// inverse (Granlund and Montgomery, "Division by invariant integers using multiplication", 1994).
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

// What a row of divisions makes of an element and the quotient of its magnitude.
enum class Division { FLOOR, REMAINDER, FMOD };

// Adding it to a whole number of at most 2**51 in magnitude makes the number the low bits of a
// double, in two's complement.
inline constexpr double kWholeNumber = 0x1.8p52;

template <class T>
double to_whole_double(T n) {
  return from_bits<double>(uint64_t(n) + to_bits(kWholeNumber)) - kWholeNumber;
}
inline uint64_t from_whole_double(double n) {
  return to_bits(n + kWholeNumber) - to_bits(kWholeNumber);
}

// Returns whether all numbers are at most 2**50 in magnitude, so that whole quotients of two of
// them differ from all others in double.
template <class T>
bool fit_in_double(const T* a, int64_t count) {
  uint64_t bits = 0;
  for (int64_t i = 0; i < count; ++i)
    bits |= uint64_t(a[i]) ^ (math::detail::is_negative(a[i]) ? ~uint64_t(0) : 0);
  return bits >> 50 == 0;
}

#ifdef __AVX2__
// As divide_by, for whole vectors. Returns how many elements they are.
template <bool changes, class T, class ByOne>
int64_t divide_vectors(const ByOne& inverse, T* out, const T* a, int64_t count) {
  constexpr int64_t kStep = sizeof(Words) / sizeof(T);
  typedef T Numbers __attribute__((vector_size(sizeof(Words)), aligned(1), may_alias));
  typedef dividend_t<T> Lanes __attribute__((vector_size(sizeof(Words)), aligned(1), may_alias));
  int64_t done = 0;
  for (; done + kStep <= count; done += kStep) {
    const Numbers n = *reinterpret_cast<const Numbers*>(a + done);
    Lanes quotient;
    if constexpr (is_signed_v<T>) {
      const Lanes sign = Lanes(changes ? n > 0 : n < 0);  // a comparison gives 0 or -1
      quotient = inverse.quotients(Lanes(changes ? -n : n) ^ sign) ^ sign;
    } else {
      quotient = inverse.quotients(changes ? n - Lanes(n != ~Lanes{}) : n);
    }
    *reinterpret_cast<Lanes*>(out + done) = quotient;
  }
  return done;
}
#endif

// Divides by `right`, which is neither 0 nor 1, towards minus infinity, or towards zero for FMOD.
// `changes` is whether `right` is negative, or, for unsigned T, whether the inverse rounds down.
template <Division division, bool changes, class T, class ByOne>
void divide_by(const ByOne& inverse, T* out, const T* a, T right, int64_t count) {
  using N = dividend_t<T>;
  int64_t done = 0;
#ifdef __AVX2__
  if constexpr (sizeof(T) >= 4 && division == Division::FLOOR)
    done = divide_vectors<changes>(inverse, out, a, count);
#endif
#pragma GCC ivdep
  for (int64_t i = done; i < count; ++i) {
    const N n = N(a[i]);
    N quotient;
    if constexpr (is_signed_v<T>) {
      // With a negative divisor, both numbers change their signs.
      const bool is_negative = changes ? a[i] > 0 : a[i] < 0;
      // For negative n, floor(n / d) is ~(~n / d); towards zero it is -(-n / d).
      const N sign = is_negative ? N(~N(0)) : N(0);
      const N carry = division == Division::FMOD ? N(sign & 1) : N(0);
      const N size = N(N((changes ? N(0) - n : n) ^ sign) + carry);
      quotient = N(N(inverse.quotient(size) ^ sign) + carry);
    } else {
      quotient = inverse.quotient(changes ? N(n + (n != N(~N(0)))) : n);
    }
    out[i] = division == Division::FLOOR ? T(quotient) : T(n - N(quotient * N(right)));
  }
}

template <Division division, class T>
void divide_by_one(T* out, const T* a, T right, int64_t count) {
  using N = dividend_t<T>;
  const bool flips = math::detail::is_negative(right);
  const N divisor = N(math::detail::magnitude(right));
  if (divisor == 1) {
    for (int64_t i = 0; i < count; ++i)
      out[i] = division == Division::FLOOR ? T(flips ? N(0) - N(a[i]) : N(a[i])) : T(0);
    return;
  }
  const Inverse<N, wide_dividend_t<T>, !is_signed_v<T>> inverse(divisor);
  if (flips || inverse.rounds_down())
    divide_by<division, true>(inverse, out, a, right, count);
  else
    divide_by<division, false>(inverse, out, a, right, count);
}

// Divides integers of up to 32 bits in double, whose quotient, cut off, is exact for them.
template <Division division, class T>
T divide_in_double(T a, T b) {
  const T divisor = math::detail::safe_divisor(a, b);
  // The sum holds the quotient in its low bits, as two's complement.
  const double quotient = ::trunc(double(a) / double(divisor)) + 0x1.8p52;
  const uint32_t towards_zero = uint32_t(to_bits(quotient));
  const uint32_t rest = uint32_t(a) - towards_zero * uint32_t(divisor);
  if constexpr (division == Division::FMOD) return b == 0 ? T(0) : T(rest);
  const bool moves = (rest != 0) & (math::detail::is_negative(a) != math::detail::is_negative(b));
  if constexpr (division == Division::FLOOR)
    return b == 0 ? T(0) : T(towards_zero - uint32_t(moves));
  else
    return b == 0 ? T(0) : T(moves ? rest + uint32_t(divisor) : rest);
}

template <Division division, class T>
struct DoubleDivision {
  using result = T;
  using first = T;
  static T apply(T a, T b) { return divide_in_double<division>(a, b); }
};

// As DoubleDivision for 64 bits of which fit_in_double holds.
template <Division division, class T>
struct WideDoubleDivision {
  using result = T;
  using first = T;
  static T apply(T a, T b) {
    const double n = to_whole_double(a), divisor = to_whole_double(b == 0 ? T(1) : b);
    const double exact = n / divisor;
    const double quotient = division == Division::FMOD ? ::trunc(exact) : ::floor(exact);
    const double made = division == Division::FLOOR ? quotient : n - quotient * divisor;
    return b == 0 ? T(0) : T(from_whole_double(made));
  }
};

// Divides numbers of any magnitude.
template <class Functor, Division division, Integer T>
void divide_any(char* const* data, const int64_t* steps, int64_t count) {
  if (steps[2] == 0) {
    const T right = *elements_at<T>(data[2]);
    if (right != 0)
      return divide_by_one<division>(reinterpret_cast<T*>(data[0]), elements_at<T>(data[1]), right,
                                     count);
  }
  if constexpr (sizeof(T) < 8)
    binary_row<DoubleDivision<division, T>, T>(data, steps, count);
  else
    binary_row<Functor, T>(data, steps, count);
}

// Divides in double the blocks of 64-bit numbers that fit, as there are no vectors of such
// products.
template <class Functor, Division division, Integer T>
void division_row(char* const* data, const int64_t* steps, int64_t count) {
  if constexpr (sizeof(T) < 8) return divide_any<Functor, division, T>(data, steps, count);
  if (division == Division::FLOOR && steps[2] == 0)
    return divide_any<Functor, division, T>(data, steps, count);
  constexpr int64_t kBlock = 512;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t size = count - begin < kBlock ? count - begin : kBlock;
    char* at[3] = {data[0] + begin * int64_t(sizeof(T))};
    bool fits = true;
    for (int k = 1; k < 3; ++k) {
      at[k] = data[k] + begin * steps[k] * int64_t(sizeof(T));
      fits = fits && fit_in_double(elements_at<T>(at[k]), steps[k] == 0 ? 1 : size);
    }
    if (fits)
      binary_row<WideDoubleDivision<division, T>, T>(at, steps, size);
    else
      divide_any<Functor, division, T>(at, steps, size);
  }
}

// The powers of one exponent for a whole row, which is not negative.
template <class T>
void power_of_one(T* out, const T* a, T exponent, int64_t count) {
  using N = unsigned_t<math::detail::wrapping_t<T>>;
  constexpr int64_t kBlock = 256;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t size = count - begin < kBlock ? count - begin : kBlock;
    N results[kBlock], bases[kBlock];
    for (int64_t i = 0; i < size; ++i) results[i] = 1, bases[i] = N(a[begin + i]);
    for (unsigned_t<T> left = unsigned_t<T>(exponent); left != 0;) {
      if (left & 1)
        for (int64_t i = 0; i < size; ++i) results[i] *= bases[i];
      if ((left >>= 1) != 0)
        for (int64_t i = 0; i < size; ++i) bases[i] *= bases[i];
    }
    for (int64_t i = 0; i < size; ++i) out[begin + i] = T(results[i]);
  }
}

// The powers of one base for a whole row: from a table but for exponents beyond it.
template <class Functor, Integer T>
void powers_of_one(T* out, T base, const T* exponents, int64_t count) {
  constexpr unsigned_t<T> kPowers = 128;
  T powers[kPowers] = {T(1)};
  for (unsigned_t<T> k = 1; k < kPowers; ++k)
    powers[k] = multiply_functor<T>::apply(powers[k - 1], base);
  for (int64_t i = 0; i < count; ++i) {
    const unsigned_t<T> exponent = unsigned_t<T>(exponents[i]);
    out[i] = exponent < kPowers ? powers[exponent] : Functor::apply(base, exponents[i]);
  }
}

template <class Functor, Integer T>
void power_row(char* const* data, const int64_t* steps, int64_t count) {
  if (steps[2] == 0) {
    const T exponent = *elements_at<T>(data[2]);
    if (exponent == 2)
      return unary_row<square_functor<unsigned_t<T>>, unsigned_t<T>>(data, steps, count);
    if (!math::detail::is_negative(exponent))
      return power_of_one(reinterpret_cast<T*>(data[0]), elements_at<T>(data[1]), exponent, count);
  } else if (steps[1] == 0 && count >= 128) {
    return powers_of_one<Functor, T>(reinterpret_cast<T*>(data[0]), *elements_at<T>(data[1]),
                                     elements_at<T>(data[2]), count);
  }
  binary_row<Functor, T>(data, steps, count);
}

}  // namespace gpuarray::loops
