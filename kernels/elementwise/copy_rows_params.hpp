// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/elementwise/walk_params.hpp"

namespace gpuarray {

inline constexpr int kCopyChunk = 16;  // bytes that are stored at once

// What a launch of the kernel that copies rows of bytes takes, by value. Operand 0 of the outer
// axes is the target, operand 1 the source; their strides count bytes.
struct CopyRowsParams {
  void* target;
  const void* source;
  int64_t bytes;    // of a row
  int64_t chunks;   // that the rows touch together, each row as many as any may
  Divisor per_row;  // chunks of a row
  uint32_t unused;  // fills the struct to a multiple of 8 bytes
  // The bytes that lie between these, from the first of the source to its last, may be read.
  const void* first;
  const void* last;
  OuterAxes<2, kFewDims - 1, false> outer;
};

}  // namespace gpuarray
