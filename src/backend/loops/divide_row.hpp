// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cmath>

#include "backend/loops/inverse.hpp"
#include "backend/loops/rows.hpp"
#include "kernels/element/functors.cuh"

// The loops of integer division, of products and shifts of bytes and of powers. For one divisor of
// a whole row, numbers are multiplied by its inverse.
namespace gpuarray::loops {

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

// Pairs of bytes at any address.
typedef uint16_t BytePair __attribute__((may_alias, aligned(1)));

// As binary_row, for products of bytes. Multiplies pairs of bytes, because processors have no
// products of single bytes.
template <class Functor, class T>
void byte_multiply_row(char* const* data, const int64_t* steps, int64_t count) {
  static_assert(sizeof(T) == 1);
  auto* out = reinterpret_cast<BytePair*>(data[0]);
  const int one = steps[2] == 0 ? 2 : 1, other = 3 - one;
  const auto* a = reinterpret_cast<const BytePair*>(data[other]);
  const auto product = [](uint16_t x, uint16_t y) {
    return uint16_t((uint16_t(x * y) & 0xff) | uint16_t((x >> 8) * (y & 0xff00)));
  };
  if (steps[one] == 0) {
    const auto number = static_cast<uint8_t>(*data[one]);
#pragma GCC ivdep
    for (int64_t i = 0; i < count / 2; ++i)
      out[i] = uint16_t((uint16_t(a[i] * number) & 0xff) | uint16_t((a[i] & 0xff00) * number));
  } else {
    const auto* b = reinterpret_cast<const BytePair*>(data[one]);
#pragma GCC ivdep
    for (int64_t i = 0; i < count / 2; ++i) out[i] = product(a[i], b[i]);
  }
  const int64_t whole = count / 2 * 2;
  char* const rest[] = {data[0] + whole, data[1] + whole * steps[1], data[2] + whole * steps[2]};
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
