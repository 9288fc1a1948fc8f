// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/divisor.hpp"

namespace gpuarray {

inline constexpr int kJoinParts = 32;

// One array of a concatenation, contiguous: `bytes` of each row of the target, from `offset` on.
struct JoinPart {
  const void* source;
  int64_t offset;
  int64_t words;  // in all rows
  uint32_t word;  // bytes of an access: 1, 2, 4, 8 or 16
  uint32_t first_block;
  Divisor row_words;
};

struct JoinParams {
  void* target;
  int64_t pitch;  // bytes of a row of the target
  int32_t parts;
  JoinPart part[kJoinParts];
};

}  // namespace gpuarray
