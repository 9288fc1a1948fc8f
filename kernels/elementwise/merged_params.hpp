// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/elementwise/walk_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

// Returns how many vectors of `count` elements a thread of the merged walk takes.
GPUARRAY_HD constexpr int merged_vectors(int operands, int count) {
  return operands > kRowsFewOperands || count >= kRowsElements ? 1 : kRowsElements / count;
}

// Describes a merged walk, in which what is written is contiguous over its two innermost axes,
// which are walked as one. All offsets along those two axes are below 2^31.
struct MergedHead {
  static constexpr int kInnerAxes = 2;

  uint32_t size;     // elements, below 2^31
  Divisor columns;   // the extent of the innermost axis
  Divisor row_size;  // of the two innermost axes together
  uint32_t unused;   // fills the struct to a multiple of 8 bytes
};

// What an operator's kernel takes on the merged path.
template <int Operands>
using MergedParams = AxesBlock<MergedHead, OperatorOperands<Operands>, kFewDims>;

}  // namespace gpuarray
