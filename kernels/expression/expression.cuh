// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the kernels of users' expressions include. They walk their operands as the kernels of
// operators do.
#pragma once

#include "kernels/elementwise/flat.cuh"
#include "kernels/elementwise/merged.cuh"
#include "kernels/elementwise/rows.cuh"
#include "kernels/elementwise/tile.cuh"
#include "kernels/expression/expression_params.hpp"
#include "kernels/expression/long_rows.cuh"
#include "kernels/expression/mapped_rows.cuh"

namespace gpuarray {

// Returns whether operand k needs no read for each element, and then fills `vector`: with zeros if
// the operand is fresh, with its one element if it is single.
template <class T, int Count, int Operands>
__device__ bool fill_single(const ExpressionOperands<Operands>& operands, int k,
                            Vec<T, Count>& vector) {
  if (operands.fresh >> k & 1)
    splat(vector, T{});
  else if (operands.single >> k & 1)
    splat(vector, *static_cast<const T*>(operands.data[k]));
  else
    return false;
  return true;
}

}  // namespace gpuarray
