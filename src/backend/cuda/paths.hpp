// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "backend/backend.hpp"
#include "backend/cuda/kernel_table.hpp"
#include "backend/expression.hpp"
#include "kernels/elementwise/walk_params.hpp"

// The planner of walks: which path an element-wise launch takes, of an operator or of an
// expression, and its numbers. Pure functions of shape, strides, itemsizes and alignment, without
// CUDA, so that they are tested anywhere.
namespace gpuarray::paths {

inline constexpr int64_t kNarrow = int64_t{1}
                                   << 31;  // what 32-bit positions and block numbers hold

// The operands of a launch: a view of a plan, which must outlive it.
struct Operands {
  const Shape& shape;  // collapsed
  int64_t size;
  int count;
  int width;  // elements of a vector: 16 bytes of the widest dtype, or 1
  const DType* dtypes;
  void* const* data;
  const Strides* strides;  // elements
  uint32_t written;        // bit k: operand k is written
  uint32_t single;         // bit k: operand k is one element, read everywhere

  bool is_written(int k) const { return (written >> k & 1) != 0; }
  bool is_single(int k) const { return (single >> k & 1) != 0; }
};

Operands operands_of(const ElementwisePlan& plan);
Operands operands_of(const Expression& expression, const ExpressionPlan& plan);

// An extent with what divides by it; by 2^31 - 1 where it is larger, of which nothing is divided.
AxisExtent axis_extent(int64_t extent);

// What kernels there are besides those of the flat and the rows walk.
struct Kernels {
  bool any;   // a kernel for any strides, which takes what 32-bit numbers do not hold
  bool tile;  // a kernel that may take the elements in any order
};

Path choose(const Operands& operands, Kernels kernels);

// How a launch walks: the head of its kernel's parameters, and the blocks of its grid, which may be
// kNarrow or more.
struct FlatWalk {
  FlatHead head;
  int64_t blocks;
};
struct RowsWalk {
  RowsHead head;
  bool wide;  // rows or blocks need 64 bits
};
struct TileWalk {
  TileHead head;
  int across;       // the axis beside the innermost one
  uint32_t turned;  // bit k: operand k is read along `across`
  int64_t blocks;
};

// Each takes operands for which choose() gave, or could have given, its path.
FlatWalk flat(const Operands& operands);
// One long row is cut into rows of `head.columns` elements; the last may be shorter.
RowsWalk rows(const Operands& operands);
TileWalk tile(const Operands& operands);

struct Launch {
  LaunchShape shape;
  Variant variant;  // what a kernel compiled at run time takes for granted
};

// Fills the parameters of an operator's kernel of `count` operands, of which `operands` is the
// view.
template <int count>
Launch fill(FlatParams<count>& params, const Operands& operands, const ElementwisePlan& plan);
template <int count>
Launch fill(RowsParams<count>& params, const Operands& operands, const ElementwisePlan& plan);
template <int count>
Launch fill(TileParams<count>& params, const Operands& operands, const ElementwisePlan& plan);

}  // namespace gpuarray::paths
