// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "backend/backend.hpp"
#include "backend/cuda/elementwise_kernels.hpp"
#include "backend/expression.hpp"
#include "kernels/elementwise/walk_params.hpp"

// The planner of walks: which path an element-wise launch takes, of an operator or of an
// expression, and its numbers. Pure functions of shape, strides, itemsizes and alignment, without
// CUDA, so that they are tested anywhere.
namespace gpuarray::paths {

// Positions and numbers of blocks in 32 bits are below this.
inline constexpr int64_t kNarrow = int64_t{1} << 31;

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

// An extent with its divisor, which only walks of narrow numbers use: it is that of 2^31 - 1 for a
// larger extent.
AxisExtent axis_extent(int64_t extent);

// Which kernels there are besides those of the flat and the rows walk.
struct Kernels {
  bool any;   // one for any strides, which takes the launches whose rows need 64-bit numbers
  bool tile;  // one that takes the elements in an order of its own
};

// The fastest path of which there is a kernel.
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

// Each plans one walk, of operands that can take it: flat ones, of at least one axis, or with an
// input that is turned.
FlatWalk flat(const Operands& operands);
// One long row becomes rows of `head.columns` elements; the last may be shorter.
RowsWalk rows(const Operands& operands);
TileWalk tile(const Operands& operands);

struct Launch {
  LaunchShape shape;
  Variant variant;  // what a kernel compiled at run time takes for granted
};

// Each fills the parameters of an operator's kernel of `count` operands; `operands` views `plan`.
template <int count>
Launch fill(FlatParams<count>& params, const Operands& operands, const ElementwisePlan& plan);
template <int count>
Launch fill(RowsParams<count>& params, const Operands& operands, const ElementwisePlan& plan);
template <int count>
Launch fill(TileParams<count>& params, const Operands& operands, const ElementwisePlan& plan);

}  // namespace gpuarray::paths
