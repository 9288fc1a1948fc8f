// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <initializer_list>

namespace gpuarray {

// How many parts of size `part` hold `count`, for count >= 0 and part > 0.
constexpr int64_t divide_up(int64_t count, int64_t part) { return (count + part - 1) / part; }

// The least multiple of `part` that is not less than `count`.
constexpr int64_t round_up(int64_t count, int64_t part) { return divide_up(count, part) * part; }

// The bytes of the widest word, up to 16, that all of these addresses and numbers of bytes are
// multiples of.
constexpr int common_word(std::initializer_list<int64_t> bytes) {
  int64_t bits = 16;
  for (int64_t each : bytes) bits |= each;
  return static_cast<int>(bits & -bits);
}

}  // namespace gpuarray
