// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/divisor.hpp"

namespace gpuarray {

inline constexpr int kJoinParts = 32;  // parts of a launch at most

// One contiguous array of a concatenation. It fills row_words words of each row of the target, from
// byte `offset` of the row on.
struct JoinPart {
  const void* source;
  int64_t offset;
  int64_t words;         // in all rows together
  uint32_t word;         // bytes of an access: 1, 2, 4, 8 or 16
  uint32_t first_block;  // of the grid that copies this part
  Divisor row_words;     // words of a row
};

// What a launch of the join kernel takes, by value: the target and at most kJoinParts parts.
struct JoinParams {
  void* target;
  int64_t pitch;  // bytes from one row of the target to the next
  int32_t parts;
  JoinPart part[kJoinParts];
};

}  // namespace gpuarray
