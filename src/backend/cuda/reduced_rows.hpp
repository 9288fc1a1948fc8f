// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/cuda/paths.hpp"
#include "backend/expression_source.hpp"

// Plans launches of expressions that reduce rows, as paths.hpp does those of others.
namespace gpuarray::paths {

struct ReducedRowsWalk {
  RowsHead head;
  Variant variant;
  LaunchShape launch;
};

// Plans the walk of operands of at least two axes, the last of which is reduced. `reduced` is
// Expression::reduced_operands().
ReducedRowsWalk reduced_rows(const Operands& operands, uint32_t reduced);

}  // namespace gpuarray::paths
