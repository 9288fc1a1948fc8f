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
  uint32_t size;     // elements, below 2^31
  Divisor columns;   // the extent of the innermost axis
  Divisor row_size;  // of the two innermost axes together
  uint32_t unused;   // fills the struct to a multiple of 8 bytes
};

// What an operator's kernel takes on the merged path. Steps and strides count elements.
template <int Operands>
struct MergedParams {
  MergedHead head;
  int32_t steps[Operands];         // along the innermost axis
  int32_t across_steps[Operands];  // along the axis before it
  OuterAxes<Operands> outer;       // the others
  OperatorOperands<Operands> operands;

  GPUARRAY_HD int32_t step(int k) const { return steps[k]; }
  GPUARRAY_HD int32_t across_step(int k) const { return across_steps[k]; }
};

}  // namespace gpuarray
