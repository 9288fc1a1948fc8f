// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/loops/loops.hpp"
#include "kernels/element/element.cuh"

// The loops of elements, written so that the compiler turns them into vectors. No iteration depends
// on another (ivdep), because the result is an operand itself or overlaps none.
namespace gpuarray::loops {

// Returns `data` as a pointer to elements of type T as they lie in memory.
template <class T>
const stored_t<T>* elements_at(const char* data) {
  return reinterpret_cast<const stored_t<T>*>(data);
}

template <class Functor, class T>
void unary_row(char* const* data, const int64_t*, int64_t count) {
  auto* out = reinterpret_cast<typename Functor::result*>(data[0]);
  const auto* a = elements_at<T>(data[1]);
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) out[i] = Functor::apply(a[i]);
}

template <class Functor, class T>
void binary_row(char* const* data, const int64_t* steps, int64_t count) {
  auto* out = reinterpret_cast<typename Functor::result*>(data[0]);
  const auto* a = elements_at<T>(data[1]);
  const auto* b = elements_at<T>(data[2]);
  if (steps[2] == 0) {
    const T right = *b;
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) out[i] = Functor::apply(a[i], right);
  } else if (steps[1] == 0) {
    const T left = *a;
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) out[i] = Functor::apply(left, b[i]);
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) out[i] = Functor::apply(a[i], b[i]);
  }
}

// As binary_row, for functors of which compilers make no vectors where an operand is the same for
// all elements, because conditions on it become branches: it is repeated in a block.
template <class Functor, class T>
void repeating_row(char* const* data, const int64_t* steps, int64_t count) {
  constexpr int64_t kUnit[] = {1, 1, 1};
  constexpr int64_t kBlock = 256;
  if (steps[1] != 0 && steps[2] != 0) return binary_row<Functor, T>(data, kUnit, count);
  const int k = steps[1] == 0 ? 1 : 2;
  alignas(64) T repeated[kBlock];
  for (int64_t i = 0; i < kBlock && i < count; ++i) repeated[i] = *elements_at<T>(data[k]);
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    char* at[] = {data[0] + begin * int64_t(sizeof(typename Functor::result)),
                  data[1] + begin * int64_t(sizeof(T)), data[2] + begin * int64_t(sizeof(T))};
    at[k] = reinterpret_cast<char*>(repeated);
    binary_row<Functor, T>(at, kUnit, count - begin < kBlock ? count - begin : kBlock);
  }
}

// Applies a functor of two real numbers of type T to the imaginary and the real parts of complex
// ones. Compilers make vectors of the functor only after the parts are taken apart.
template <class Functor, class T>
void parts_row(char* const* data, const int64_t*, int64_t count) {
  constexpr int64_t kUnit[] = {1, 1, 1};
  constexpr int64_t kBlock = 512;
  const auto* a = elements_at<complex<T>>(data[1]);
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t size = count - begin < kBlock ? count - begin : kBlock;
    alignas(64) T re[kBlock], im[kBlock];
    for (int64_t i = 0; i < size; ++i) re[i] = a[begin + i].re, im[i] = a[begin + i].im;
    char* const parts[] = {data[0] + begin * int64_t(sizeof(T)), reinterpret_cast<char*>(im),
                           reinterpret_cast<char*>(re)};
    binary_row<Functor, T>(parts, kUnit, size);
  }
}

template <class Functor, class T>
void ternary_row(char* const* data, const int64_t* steps, int64_t count) {
  auto* out = reinterpret_cast<typename Functor::result*>(data[0]);
  const auto* a = elements_at<typename Functor::first>(data[1]);
  const auto* b = elements_at<T>(data[2]);
  const auto* c = elements_at<T>(data[3]);
  const auto run = [&](auto second, auto third) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) out[i] = Functor::apply(a[i], second(i), third(i));
  };
  const auto each_b = [b](int64_t i) -> T { return b[i]; };
  const auto each_c = [c](int64_t i) -> T { return c[i]; };
  if (steps[2] != 0 && steps[3] != 0) return run(each_b, each_c);
  const T one_b = *b, one_c = *c;
  const auto same_b = [one_b](int64_t) { return one_b; };
  const auto same_c = [one_c](int64_t) { return one_c; };
  if (steps[2] != 0) return run(each_b, same_c);
  if (steps[3] != 0) return run(same_b, each_c);
  run(same_b, same_c);
}

// Limits the elements from below, and then from above: compilers make vectors of each, but not of
// both at once.
template <class Maximum, class Minimum, class T>
void clip_row(char* const* data, const int64_t* steps, int64_t count) {
  constexpr int64_t kBlock = 512;
  constexpr int64_t kBytes = sizeof(T);
  const int64_t lower_steps[] = {1, 1, steps[2]}, upper_steps[] = {1, 1, steps[3]};
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t size = count - begin < kBlock ? count - begin : kBlock;
    char* at[4];
    for (int k = 0; k < 4; ++k) at[k] = data[k] + begin * kBytes * steps[k];
    alignas(64) char limited[kBlock * kBytes];
    char* const lower[] = {limited, at[1], at[2]};
    char* const upper[] = {at[0], limited, at[3]};
    binary_row<Maximum, T>(lower, lower_steps, size);
    binary_row<Minimum, T>(upper, upper_steps, size);
  }
}

enum class Direction { left, right };

// A word of bytes at any address.
template <class Word>
struct [[gnu::packed, gnu::may_alias]] Bytes {
  Word word;
};

// As binary_row. One count shifts eight bytes at a time, as a word, because processors have no
// shifts of single bytes.
template <class Functor, Direction direction, class T>
void byte_shift_row(char* const* data, const int64_t* steps, int64_t count) {
  static_assert(sizeof(T) == 1);
  const auto shift = static_cast<uint8_t>(*data[2]);
  if (steps[2] != 0 || shift == 0 || shift >= 8) return binary_row<Functor, T>(data, steps, count);
  constexpr bool is_left = direction == Direction::left;
  constexpr int64_t kWord = sizeof(uint64_t);
  constexpr uint64_t kOnes = 0x0101010101010101, kTops = kOnes << 7;
  const uint64_t kept = kOnes * uint8_t(is_left ? 0xff << shift : 0xff >> shift);
  const uint64_t signs = kTops >> shift;
  auto* out = reinterpret_cast<Bytes<uint64_t>*>(data[0]);
  const auto* a = reinterpret_cast<const Bytes<uint64_t>*>(data[1]);
#pragma GCC ivdep
  for (int64_t i = 0; i < count / kWord; ++i) {
    const uint64_t moved = (is_left ? a[i].word << shift : a[i].word >> shift) & kept;
    // Copies the sign, which has moved, to the bits above. The tops keep the bytes apart.
    out[i].word = !is_left && is_signed_v<T> ? (((moved ^ signs) | kTops) - signs) ^ kTops : moved;
  }
  const int64_t whole = count / kWord * kWord;
  char* const rest[] = {data[0] + whole, data[1] + whole, data[2]};
  binary_row<Functor, T>(rest, steps, count - whole);
}

// As binary_row, for products of bytes. Multiplies pairs of bytes, because processors have no
// products of single bytes.
template <class Functor, class T>
void byte_multiply_row(char* const* data, const int64_t* steps, int64_t count) {
  static_assert(sizeof(T) == 1);
  auto* out = reinterpret_cast<Bytes<uint16_t>*>(data[0]);
  const int one = steps[2] == 0 ? 2 : 1, other = 3 - one;
  const auto* a = reinterpret_cast<const Bytes<uint16_t>*>(data[other]);
  const auto product = [](uint16_t x, uint16_t y) {
    return uint16_t((uint16_t(x * y) & 0xff) | uint16_t((x >> 8) * (y & 0xff00)));
  };
  if (steps[one] == 0) {
    const auto number = static_cast<uint8_t>(*data[one]);
#pragma GCC ivdep
    for (int64_t i = 0; i < count / 2; ++i)
      out[i].word =
          uint16_t((uint16_t(a[i].word * number) & 0xff) | uint16_t((a[i].word & 0xff00) * number));
  } else {
    const auto* b = reinterpret_cast<const Bytes<uint16_t>*>(data[one]);
#pragma GCC ivdep
    for (int64_t i = 0; i < count / 2; ++i) out[i].word = product(a[i].word, b[i].word);
  }
  const int64_t whole = count / 2 * 2;
  char* const rest[] = {data[0] + whole, data[1] + whole * steps[1], data[2] + whole * steps[2]};
  binary_row<Functor, T>(rest, steps, count - whole);
}

}  // namespace gpuarray::loops
