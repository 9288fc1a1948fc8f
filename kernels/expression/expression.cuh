// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the kernels of users' expressions include besides their walk, which is one of those of
// operators or stands beside this file.
#pragma once

#include "kernels/elementwise/operands.cuh"
#include "kernels/expression/expression_params.hpp"

namespace gpuarray {

// Returns whether operand k needs no read for each element, and then fills `vector`: with zeros if
// the operand is fresh, with its one element if it is single.
template <class T, int Count, int Operands, int Written, bool has_single, bool is_rolled>
__device__ bool fill_single(
    const ExpressionOperands<Operands, Written, has_single, is_rolled>& operands, int k,
    Vec<T, Count>& vector) {
  if (k < Written && operands.fresh >> k & 1)
    splat(vector, T{});
  else if (has_single && k >= Written && operands.single >> k & 1)
    splat(vector, *static_cast<const T*>(operands.data[k]));
  else
    return false;
  return true;
}

}  // namespace gpuarray
