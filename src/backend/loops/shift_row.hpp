// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/loops/rows.hpp"

// The loops of shifts of bytes.
namespace gpuarray::loops {

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

}  // namespace gpuarray::loops
