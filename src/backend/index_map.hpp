// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/dims.hpp"
#include "core/scalar.hpp"

namespace gpuarray {

struct ElementwisePlan;

// Which elements of an operand the elements of an axis read. The axis falls into pieces, in each of
// which element i reads element base + step * i of the operand's axis, or, in a hole, none.
struct AxisPieces {
  static constexpr int kMost = 3;
  static constexpr int64_t kMostStep = 100;  // in either direction
  static constexpr int64_t kHole = -128;     // the step of a hole
  struct Piece {
    int64_t end = 0;  // the first element after the piece
    int64_t base = 0;
    int64_t step = 1;

    bool operator==(const Piece&) const = default;
    int64_t source(int64_t i) const { return base + step * i; }
    bool is_hole() const { return step == kHole; }
  };

  // Adds a piece of so many elements, the first of which reads element `first`. A piece that goes
  // on where the last one ended becomes part of it. The caller sees to it that there is room.
  void add(int64_t elements, int64_t first, int64_t step);
  // Adds a hole of so many elements.
  void add_hole(int64_t elements);

  bool operator==(const AxisPieces&) const = default;
  const Piece* begin() const { return pieces; }
  const Piece* end() const { return pieces + count; }
  int64_t begin_of(int k) const { return k == 0 ? 0 : pieces[k - 1].end; }
  int64_t length_of(int k) const { return pieces[k].end - begin_of(k); }
  // Returns the longest piece that is no hole, or any if there is none.
  const Piece& longest() const;
  bool has_holes() const;
  // Returns how many elements read one.
  int64_t read_count() const;

  int count = 0;
  Piece pieces[kMost];
};

// Tells which element of an operand an element-wise operation reads for each element of its shape.
// A map is piecewise affine along each axis: the shape falls into boxes, in each of which the
// operand is a strided view. An operand without a map is read at the operation's own elements.
struct IndexMap {
  const char* name;  // of the operation
  // For each axis 1 + its number in `pieces`, or 0 where each element reads the one at its place.
  Dims axes;
  std::vector<AxisPieces> pieces;
  // What elements get that lie in a hole along some axis. Without it these get what other operands
  // have there.
  std::optional<Scalar> fill = {};

  bool operator==(const IndexMap& other) const;
  // Makes the pieces those of the last axis so far, which has none yet. A single piece is left to
  // the strides of the caller, unless it is a hole.
  void add_axis(const AxisPieces& of_axis);
  // Returns the pieces of the axis, null if it has none.
  const AxisPieces* of(int axis) const {
    return axes[axis] == 0 ? nullptr : &pieces[static_cast<size_t>(axes[axis] - 1)];
  }
  // Returns whether some axis has more than two pieces, or one that does not go forward by one.
  bool is_general() const;
  bool has_holes() const;
  // Returns how many plans for_each_box() makes.
  int boxes(const Shape& shape) const;
};

// Returns strides beside which merge_axes() and collapse() merge no axis along which one of these
// maps has pieces. IndexMap::axes themselves may stand among the strides, too, which are then
// reordered alike.
Strides fence_of(int ndim, std::span<const Strides> axes);

// Calls run(plan) for plans which together, one after the other, copy operand 1 to operand 0 as the
// map says. Pieces that are alike are one plan. Pieces that repeat what another one reads are
// copied from operand 0. Holes are filled, or left as they are if the map has nothing for them.
void for_each_box(const ElementwisePlan& plan, const IndexMap& map,
                  const std::function<void(ElementwisePlan& box)>& run);

}  // namespace gpuarray
