// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/element.cuh"
#include "kernels/tuning.hpp"

namespace gpuarray {

// What computes the norm of a row: a thread (of rows of up to kNormsShortRow numbers), a warp, or a
// block. `parts`: blocks compute sums of squares of parts of rows, and `totals`: a block adds those
// of a row and takes the root.
enum class NormsKind : int32_t { thread, warp, block, parts, totals };

// Norms of rows of real numbers that follow each other in memory.
struct NormsParams {
  const void* source;
  void* target;  // a number for each row, or for each part in double precision
  int64_t rows;
  int64_t columns;
  int64_t part;     // numbers of a part
  int64_t parts;    // of a row
  int32_t vectors;  // whether rows and parts begin at multiples of 16 bytes
};

}  // namespace gpuarray
