// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/divisor.hpp"

namespace gpuarray {

// What a launch of the kernel that copies triangles takes, by value. Source and target are
// C-contiguous matrices, one after the other, and begin at a multiple of 16 bytes.
struct TriangleParams {
  void* target;
  const void* source;
  int64_t size;  // elements of all matrices, below 2^31
  Divisor columns;
  Divisor rows;    // of one matrix
  int32_t offset;  // the diagonal, from minus the rows to the columns
  uint32_t upper;  // 1: what lies above the diagonal stays; 0: it, and what lies below
};

}  // namespace gpuarray
