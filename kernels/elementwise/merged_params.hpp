// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/elementwise/walk_params.hpp"

namespace gpuarray {

// What an operator's kernel takes on the merged path, where operand 0 is contiguous over its two
// innermost axes, which are walked as one. Steps and strides count elements; all offsets along
// those two axes are below 2^31.
template <int Operands>
struct MergedParams {
  uint32_t size;                   // elements, below 2^31
  Divisor columns;                 // the extent of the innermost axis
  Divisor row_size;                // of the two innermost axes together
  int32_t steps[Operands];         // along the innermost axis
  int32_t across_steps[Operands];  // along the axis before it
  int32_t turns[Operands];         // from the last element of a row to the first of the next
  OuterAxes<Operands> outer;       // the others
  OperatorOperands<Operands> operands;
};

}  // namespace gpuarray
