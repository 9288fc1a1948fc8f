// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cmath>

#include "backend/loops/rows.hpp"
#include "kernels/element/functors.cuh"

// The loops of integer division, of shifts of bytes and of powers. One divisor for a whole row is
// multiplied by its inverse (Granlund and Montgomery, "Division by invariant integers using
// multiplication", 1994).
namespace gpuarray::loops {

// Divides any n of type N, which is unsigned, by one positive divisor. `Wide` has twice the bits.
template <class N, class Wide>
class Inverse {
 public:
  explicit Inverse(N divisor) {
    int shift = 0;
    while ((Wide(1) << shift) < divisor) ++shift;
    multiplier_ = N((((Wide(1) << shift) - divisor) << kBits) / divisor + 1);
    first_shift_ = shift > 0 ? 1 : 0;
    second_shift_ = shift > 0 ? N(shift - 1) : N(0);
  }
  N quotient(N n) const {
    const N high = N((Wide(n) * multiplier_) >> kBits);
    const N half = N(N(n - high) >> first_shift_);  // high + n may have one bit more than N
    return N(N(high + half) >> second_shift_);
  }

 private:
  static constexpr int kBits = 8 * sizeof(N);
  N multiplier_, first_shift_, second_shift_;
};

// As Inverse, for n and divisors of 8 bits: one product of 16 bits holds the quotient.
class ByteInverse {
 public:
  explicit ByteInverse(uint16_t divisor)
      : multiplier_(divisor == 1 ? 0 : uint16_t(0x10000 / divisor + 1)),
        by_one_(divisor == 1 ? 0xff : 0) {}
  uint16_t quotient(uint16_t n) const {
    return uint16_t(((uint32_t(n) * multiplier_) >> 16) + (n & by_one_));
  }

 private:
  uint16_t multiplier_, by_one_;
};

__extension__ typedef unsigned __int128 uint128_t;

// The unsigned types in which a T is divided: 16 bits for those that have fewer.
template <class T>
using dividend_t = choose_t<sizeof(T) == 8, uint64_t, choose_t<sizeof(T) == 4, uint32_t, uint16_t>>;
template <class T>
using wide_dividend_t =
    choose_t<sizeof(T) == 8, uint128_t, choose_t<sizeof(T) == 4, uint64_t, uint32_t>>;

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

// Divides by `right`, which is not 0, towards minus infinity, or towards zero for FMOD.
template <Division division, class T>
void divide_by_one(T* out, const T* a, T right, int64_t count) {
  using N = dividend_t<T>;
  const bool flips = math::detail::is_negative(right);
  using ByOne = choose_t<sizeof(T) == 1, ByteInverse, Inverse<N, wide_dividend_t<T>>>;
  const ByOne inverse{N(math::detail::magnitude(right))};
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    // With a negative divisor, both numbers change their signs.
    const T n = a[i];
    const bool is_negative = flips ? n > 0 : math::detail::is_negative(n);
    // For negative n, floor(n / d) is ~(~n / d); towards zero it is -(-n / d).
    const N sign = is_negative ? ~N(0) : N(0);
    const N carry = division == Division::FMOD ? N(sign & 1) : N(0);
    const N size = N(((flips ? N(0) - N(n) : N(n)) ^ sign) + carry);
    const N quotient = N((inverse.quotient(size) ^ sign) + carry);
    out[i] = division == Division::FLOOR ? T(quotient) : T(N(n) - quotient * N(right));
  }
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

enum class Direction { left, right };

// Eight bytes at any address.
typedef uint64_t Bytes __attribute__((may_alias, aligned(1)));

// As binary_row. One count shifts eight bytes at a time, as a word, because processors have no
// shifts of single bytes.
template <class Functor, Direction direction, class T>
void byte_shift_row(char* const* data, const int64_t* steps, int64_t count) {
  static_assert(sizeof(T) == 1);
  const auto shift = static_cast<uint8_t>(*data[2]);
  if (steps[2] != 0 || shift == 0 || shift >= 8) return binary_row<Functor, T>(data, steps, count);
  constexpr bool is_left = direction == Direction::left;
  constexpr int64_t kWord = sizeof(Bytes);
  constexpr uint64_t kOnes = 0x0101010101010101, kTops = kOnes << 7;
  const uint64_t kept = kOnes * uint8_t(is_left ? 0xff << shift : 0xff >> shift);
  const uint64_t signs = kTops >> shift;
  auto* out = reinterpret_cast<Bytes*>(data[0]);
  const auto* a = reinterpret_cast<const Bytes*>(data[1]);
#pragma GCC ivdep
  for (int64_t i = 0; i < count / kWord; ++i) {
    const uint64_t moved = (is_left ? a[i] << shift : a[i] >> shift) & kept;
    // Copies the sign, which has moved, to the bits above. The tops keep the bytes apart.
    out[i] = !is_left && is_signed_v<T> ? (((moved ^ signs) | kTops) - signs) ^ kTops : moved;
  }
  const int64_t whole = count / kWord * kWord;
  char* const rest[] = {data[0] + whole, data[1] + whole, data[2]};
  binary_row<Functor, T>(rest, steps, count - whole);
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

template <class Functor, Integer T>
void power_row(char* const* data, const int64_t* steps, int64_t count) {
  if (steps[2] == 0) {
    const T exponent = *elements_at<T>(data[2]);
    if (exponent == 2)
      return unary_row<square_functor<unsigned_t<T>>, unsigned_t<T>>(data, steps, count);
    if (!math::detail::is_negative(exponent))
      return power_of_one(reinterpret_cast<T*>(data[0]), elements_at<T>(data[1]), exponent, count);
  }
  binary_row<Functor, T>(data, steps, count);
}

// Returns the power of a positive number; bases for which it neither overflows nor underflows.
inline float regular_power(float size, float b) {
  const auto [k, f] = math::detail::reduce_log(size);
  return math::detail::power_of_log(math::detail::log2_for_float(k, f), b);
}
inline double regular_power(double size, double b) {
  return math::detail::power_of_log(math::detail::log2_in_two_parts(size), b);
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
