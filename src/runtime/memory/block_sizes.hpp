// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/divide.hpp"

namespace gpuarray {

// Rounds the size of a block up, so that requests of about the same size share blocks: four sizes a
// power of two up to 32 MiB, then multiples of 2 MiB. A size beyond any memory stays as it is.
inline int64_t rounded_bytes(int64_t nbytes) {
  constexpr int64_t kGranule = 512;
  constexpr int64_t kLargeStep = int64_t{2} << 20;
  constexpr int64_t kLargestInQuarters = int64_t{32} << 20;
  if (nbytes <= kGranule) return kGranule;
  int64_t step = kLargeStep;
  if (nbytes <= kLargestInQuarters) {
    const int shift = std::bit_width(static_cast<uint64_t>(nbytes - 1)) - 3;
    step = std::max(kGranule, int64_t{1} << shift);
  }
  if (nbytes > INT64_MAX - step) return nbytes;
  return round_up(nbytes, step);
}

}  // namespace gpuarray
