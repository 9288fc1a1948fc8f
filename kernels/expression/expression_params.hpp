// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What a launch of a user's expression passes to its kernel by value, besides scalars and raw
// arrays.
#pragma once

#include "kernels/elementwise/merged_params.hpp"
#include "kernels/elementwise/walk_params.hpp"

namespace gpuarray {

// Holds the array operands of an expression, the first of which are written. Scalars are no
// operands: they are passed beside them. `has_single` says whether an operand is a single element.
template <int Operands, int Written, bool has_single, bool is_rolled>
struct ExpressionOperands {
  static constexpr int kCount = Operands;
  // The number of axes is a constant of the compiled source, so that the parameters take just the
  // bytes that they need and loops over the axes are unrolled.
  static constexpr bool kHasFixedAxes = true;
  static constexpr bool kIsRolled = is_rolled;  // see visit_all

  uint32_t single;  // bit k: operand k is a single element, which every index reads
  uint32_t fresh;   // bit k: operand k is not initialised, so that its elements start as zero
  void* data[at_least_one<Operands>];
};

// `Operands` is a type of ExpressionOperands.
template <class Operands>
using FlatExpression = FlatBlock<Operands>;
template <class Operands, int Dims>
using RowsExpression = AxesBlock<RowsHead, Operands, Dims>;
template <class Operands, int Dims>
using TileExpression = AxesBlock<TileHead, Operands, Dims>;
template <class Operands, int Dims>
using MergedExpression = AxesBlock<MergedHead, Operands, Dims>;

// The most bytes of a thread's total of a row, moments of complex numbers, and of a row's result.
inline constexpr int kRowTotal = 48, kRowResult = 16;
// Returns the bytes of shared memory for a row of values, which begins somewhere in the first 16.
GPUARRAY_HD constexpr int64_t staged_row(int64_t bytes) { return (bytes + 15) / 16 * 16 + 16; }

// How an axis moves an operand that has a map: how many elements away from where the strides put it
// an element lies, by its position along the axis. This one has two pieces, which go forward.
template <bool general>
struct AxisMap {
  int64_t limit, below, above;

  template <class Offset>
  GPUARRAY_HD Offset moved(Offset position, Offset /*stride*/) const {
    return position < Offset(limit) ? Offset(below) : Offset(above);
  }
  // Whether the positions from the first to the last lie in one piece.
  template <class Offset>
  GPUARRAY_HD bool is_one_piece(Offset first, Offset last) const {
    return last < Offset(limit) || first >= Offset(limit);
  }
  // Returns how many elements of the operand a step along the axis is.
  template <class Offset>
  GPUARRAY_HD int step_at(Offset) const {
    return 1;
  }
  template <class Offset>
  GPUARRAY_HD bool is_hole_at(Offset) const {
    return false;
  }
};

inline constexpr int kAxisHole = -128;  // the step of a piece that reads nothing

// One of three pieces, in each of which a position steps by more or fewer elements than one.
template <>
struct AxisMap<true> {
  int64_t limits[2], offsets[3];
  int8_t steps[8];

  template <class Offset>
  GPUARRAY_HD int piece_at(Offset position) const {
    return int(position >= Offset(limits[0])) + int(position >= Offset(limits[1]));
  }
  template <class Offset>
  GPUARRAY_HD Offset moved(Offset position, Offset stride) const {
    const int piece = piece_at(position);
    return Offset(offsets[piece]) + position * stride * Offset(steps[piece] - 1);
  }
  template <class Offset>
  GPUARRAY_HD bool is_one_piece(Offset first, Offset last) const {
    return piece_at(first) == piece_at(last);
  }
  template <class Offset>
  GPUARRAY_HD int step_at(Offset position) const {
    return steps[piece_at(position)];
  }
  template <class Offset>
  GPUARRAY_HD bool is_hole_at(Offset position) const {
    return step_at(position) == kAxisHole;
  }
};

// The bytes of an element that lies in a hole of its map.
struct MapFill {
  uint64_t words[2] = {};
};

// What a walk over rows takes where `Maps` operands have maps, along all axes in order.
template <class Operands, int Dims, int Maps, bool general>
struct MappedExpression {
  using Rows = RowsExpression<Operands, Dims>;
  using Map = AxisMap<general>;
  static constexpr int kDims = Dims;

  Rows rows;
  Map maps[Dims][Maps];
};
template <class Operands, int Dims, int Maps>
struct MappedExpression<Operands, Dims, Maps, true> {
  using Rows = RowsExpression<Operands, Dims>;
  using Map = AxisMap<true>;
  static constexpr int kDims = Dims;

  Rows rows;
  Map maps[Dims][Maps];
  MapFill fills[Maps];
};

// One row of an expression on the cpu device. Operand k begins at data[k] and steps by steps[k]
// elements.
struct ExpressionRow {
  char* const* data;
  const int64_t* steps;
  int64_t count;   // elements
  int64_t first;   // index of the first element in C order
  uint32_t fresh;  // bit k: operand k is not initialised, so that its elements start as zero
};

}  // namespace gpuarray
