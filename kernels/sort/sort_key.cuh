// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Keys: unsigned integers whose order is NumPy's order of the elements. NaN comes last; complex
// numbers are ordered by real part, then imaginary part, and those with a NaN come after all
// others.
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// Says how the bits of an element are read.
enum class KeyKind : int32_t { unsigned_integer, signed_integer, floating, boolean };

// Says how the bits of a dtype are ordered. `infinity` is the bits of infinity, used for
// floating-point types only.
template <class Bits>
struct KeyOrder {
  KeyKind kind;
  Bits infinity;
};

template <class Bits>
inline constexpr Bits sign_bit = Bits(Bits(1) << (8 * sizeof(Bits) - 1));

// Returns a key that differs for elements of different bits, so that `bits_of_key` restores them.
// -0.0 comes before 0.0, and NaNs with the sign bit come last. Bools are taken as 0 or 1.
template <class Bits>
GPUARRAY_HD Bits key_of_bits(Bits bits, KeyOrder<Bits> order) {
  constexpr Bits sign = sign_bit<Bits>;
  if (order.kind == KeyKind::unsigned_integer) return bits;
  if (order.kind == KeyKind::boolean) return Bits(bits != 0);
  if (order.kind == KeyKind::signed_integer) return Bits(bits ^ sign);
  const Bits ascending = Bits((bits & sign) != 0 ? ~bits : bits | sign);
  return Bits(ascending - Bits(sign - 1 - order.infinity));  // negative NaNs wrap around to the end
}

// Returns the bits of the element that has this key.
template <class Bits>
GPUARRAY_HD Bits bits_of_key(Bits key, KeyOrder<Bits> order) {
  constexpr Bits sign = sign_bit<Bits>;
  if (order.kind == KeyKind::unsigned_integer || order.kind == KeyKind::boolean) return key;
  if (order.kind == KeyKind::signed_integer) return Bits(key ^ sign);
  const Bits ascending = Bits(key + Bits(sign - 1 - order.infinity));
  return Bits((ascending & sign) != 0 ? ascending ^ sign : ~ascending);
}

// Returns a key that is the same for elements that are equal in the order: both zeros, and all
// NaNs. Stable sorts of indices and searches use it.
template <class Bits>
GPUARRAY_HD Bits order_of_bits(Bits bits, KeyOrder<Bits> order) {
  if (order.kind == KeyKind::floating) {
    const Bits magnitude = Bits(bits & Bits(sign_bit<Bits> - 1));
    if (magnitude > order.infinity) return Bits(-1);
    if (magnitude == 0) bits = 0;
  }
  return key_of_bits(bits, order);
}

// Returns whether order_of_bits gives this key to elements of several bits.
template <class Bits>
GPUARRAY_HD bool is_shared(Bits key, KeyOrder<Bits> order) {
  return order.kind == KeyKind::floating && (key == Bits(-1) || key == key_of_bits(Bits(0), order));
}

// Returns the order of a type that is not complex.
template <class T>
GPUARRAY_HD constexpr KeyOrder<unsigned_t<T>> key_order() {
  if constexpr (is_float_v<T>)
    return {KeyKind::floating, FloatLayout<T>::infinity};
  else
    return {is_signed_v<T> ? KeyKind::signed_integer : KeyKind::unsigned_integer, 0};
}

// Holds a key of two words, which are compared by `high`, then by `low`.
template <class Word>
struct KeyPair {
  Word high;
  Word low;
};

// NumPy's order of complex numbers, where R is any real number: R + Rj, R + nanj, nan + Rj, nan +
// nanj. The last three high words tell those with a NaN apart; no number has them as its key.
template <class T>
GPUARRAY_HD KeyPair<unsigned_t<T>> order_of_complex(complex<T> value) {
  using Word = unsigned_t<T>;
  const Word re = order_of_bits<Word>(to_bits(value.re), key_order<T>());
  const Word im = order_of_bits<Word>(to_bits(value.im), key_order<T>());
  const bool re_nan = re == Word(-1), im_nan = im == Word(-1);
  if (re_nan) return {im_nan ? Word(-1) : Word(-2), im_nan ? Word(0) : im};
  return im_nan ? KeyPair<Word>{Word(-3), re} : KeyPair<Word>{re, im};
}

// Returns the key that searches compare: an unsigned integer, or a KeyPair for complex128.
template <class T>
GPUARRAY_HD auto search_key(T value) {
  if constexpr (is_same_v<T, complex<float>>) {
    const auto [high, low] = order_of_complex(value);
    return uint64_t(high) << 32 | low;
  } else if constexpr (is_complex_v<T>) {
    return order_of_complex(value);
  } else {
    using Bits = unsigned_t<T>;
    return order_of_bits<Bits>(__builtin_bit_cast(Bits, value), key_order<T>());
  }
}

// Returns whether a key comes before another.
template <class Key>
GPUARRAY_HD bool key_less(Key a, Key b) {
  return a < b;
}
template <class Word>
GPUARRAY_HD bool key_less(KeyPair<Word> a, KeyPair<Word> b) {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}

}  // namespace gpuarray
