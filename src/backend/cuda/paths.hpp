// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <span>

#include "backend/backend.hpp"
#include "backend/expression.hpp"
#include "backend/path.hpp"
#include "kernels/elementwise/merged_params.hpp"
#include "kernels/elementwise/walk_params.hpp"
#include "runtime/launch/kernel.hpp"

// Plans element-wise launches, of operators and of expressions: chooses the path that a launch
// takes and computes its numbers. These are pure functions of shape, strides, itemsizes and
// alignment, which need no CUDA and so are tested anywhere.
namespace gpuarray::paths {

// The bound of positions and block numbers that are computed in 32 bits.
inline constexpr int64_t kNarrow = int64_t{1} << 31;

// The operands of a launch, as a view of a plan, which must outlive it.
struct Operands {
  const Shape& shape;  // the axes are collapsed
  int64_t size;
  int count;
  int width;  // elements of a vector: as many of the widest dtype as 16 bytes hold, or 1
  const DType* dtypes;
  void* const* data;
  const Strides* strides;  // elements
  uint32_t written;        // bit k: operand k is written
  uint32_t single;         // bit k: operand k is one element, read everywhere
  uint32_t fresh;          // bit k: operand k of an expression is not initialised
  const Scalar* scalars;   // an operator's, for operands without data; null for an expression
  std::span<const int> mapped = {};  // an expression's operands that have index maps, in order
  std::span<const IndexMap* const> maps = {};  // these

  bool is_operator() const { return scalars != nullptr; }
  bool is_written(int k) const { return (written >> k & 1) != 0; }
  bool is_single(int k) const { return (single >> k & 1) != 0; }
  // Return IndexMap::axes of operand mapped[i], and its pieces along an axis, null if it has none.
  const Dims& map_axes(size_t i) const { return strides[static_cast<size_t>(count) + i]; }
  const AxisPieces* pieces(size_t i, int axis) const {
    const int64_t number = map_axes(i)[axis];
    return number == 0 ? nullptr : &maps[i]->pieces[static_cast<size_t>(number - 1)];
  }
};

Operands operands_of(const ElementwisePlan& plan);
Operands operands_of(const Expression& expression, const ExpressionPlan& plan);

// Returns an extent with its divisor. Only walks in 32 bits use the divisor, so for a larger extent
// it is that of 2^31 - 1.
AxisExtent axis_extent(int64_t extent);

// Which kernels exist besides those of the flat and the rows path.
struct Kernels {
  bool any;   // the one for any strides, which takes launches whose rows need 64-bit numbers
  bool tile;  // the one for tiles, which takes the elements in an order of its own
  bool merged = false;  // the one that walks the rows of contiguous results as one
};

// Returns whether an expression's rows, if they have no vectors, are walked by
// kernels/expression/long_rows.cuh, in which neighbouring threads read neighbouring memory.
bool has_long_rows(const Operands& operands);

// Returns the fastest path among those that have a kernel.
Path choose(const Operands& operands, Kernels kernels);

// A planned walk: the head of its kernel's parameters and the number of blocks of its grid, which
// may be kNarrow or more.
struct FlatWalk {
  FlatHead head;
  int64_t blocks;
};
struct RowsWalk {
  RowsHead head;
  bool wide;  // rows or blocks need 64 bits
};
struct MergedWalk {
  MergedHead head;
  uint32_t vectors;  // bit k: operand k is accessed by vectors
  int64_t blocks;
};
struct TileWalk {
  TileHead head;
  int across;       // the axis beside the innermost one
  uint32_t turned;  // bit k: operand k is read along `across`
  int64_t blocks;
};

struct ReducedRowsWalk {
  RowsHead head;
  Variant variant;
  LaunchShape launch;
};

// Plans the flat walk of operands that are all contiguous.
FlatWalk flat(const Operands& operands);
// Plans the walk by rows of operands of at least one axis. One long row becomes rows of
// `head.columns` elements, of which the last may be shorter.
RowsWalk rows(const Operands& operands);
// Plans the walk of operands for which choose() returned Path::merged.
MergedWalk merged(const Operands& operands);
// Plans the walk by tiles of operands with an input that is turned.
TileWalk tile(const Operands& operands);
// Plans the walk of an expression that reduces rows: of operands of at least two axes, the last of
// which is reduced. `reduced` is Expression::reduced_operands(), and values of so many bytes are
// left in shared memory.
ReducedRowsWalk reduced_rows(const Operands& operands, uint32_t reduced, int value_bytes = 0);
// Returns whether rows are held whatever their alignment, if the elements of the operands have
// `bytes` together, the widest one `widest`, and reduced values `value_bytes`.
bool may_hold_rows(int64_t columns, int64_t bytes, int widest, int value_bytes);
// Returns the elements of the rows that a block holds, for operands of such a widest element.
int64_t held_elements(int64_t columns, int widest);

}  // namespace gpuarray::paths
