// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What a launch of a user's expression passes to its kernel by value, besides scalars and raw
// arrays.
#pragma once

#include "kernels/elementwise/merged_params.hpp"
#include "kernels/elementwise/walk_params.hpp"

namespace gpuarray {

// Holds the array operands of an expression, any number of which may be written. Scalars are no
// operands: they are passed beside them.
template <int Operands>
struct ExpressionOperands {
  static constexpr int kCount = Operands;
  // The number of axes is a constant of the compiled source, so that the parameters take just the
  // bytes that they need and loops over the axes are unrolled.
  static constexpr bool kHasFixedAxes = true;

  uint32_t single;  // bit k: operand k is a single element, which every index reads
  uint32_t fresh;   // bit k: operand k is not initialised, so that its elements start as zero
  void* data[at_least_one<Operands>];
};

template <int Operands>
using FlatExpression = FlatBlock<ExpressionOperands<Operands>>;
template <int Operands, int Dims>
using RowsExpression = AxesBlock<RowsHead, ExpressionOperands<Operands>, Dims>;
template <int Operands, int Dims>
using TileExpression = AxesBlock<TileHead, ExpressionOperands<Operands>, Dims>;
template <int Operands, int Dims>
using MergedExpression = AxesBlock<MergedHead, ExpressionOperands<Operands>, Dims>;

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
};

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
};

// What a walk over rows takes where `Maps` operands have maps, along all axes in order.
template <int Operands, int Dims, int Maps, bool general>
struct MappedExpression {
  using Rows = RowsExpression<Operands, Dims>;
  using Map = AxisMap<general>;
  static constexpr int kDims = Dims;

  Rows rows;
  Map maps[Dims][Maps];
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
