// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/dims.hpp"

namespace gpuarray {

// Returns the number of elements. Throws ValueError for a negative extent and, as NumPy does, where
// the extents other than 0 multiply with the itemsize to more than 2^63 - 1 bytes.
int64_t element_count(const Shape& shape, int itemsize = 1);

// Returns the strides of a contiguous array. `order` is 'C' (last axis innermost) or 'F' (first
// axis innermost).
Strides contiguous_strides(const Shape& shape, char order = 'C');
// Returns the strides of a dense array whose axes nest as those of `strides` do, which is NumPy's
// order='K'.
Strides keep_order_strides(const Shape& shape, const Strides& strides);
// Returns the strides of a dense result for several operands, each given by its strides over
// `shape`. Axes nest in the order that the operands agree on, and in C order where they do not, as
// NumPy's iterator lays out a result.
Strides common_order_strides(const Shape& shape, std::span<const Strides> operands);

// Whether the elements are dense in C (or Fortran) order; arrays without elements are, as in NumPy.
bool is_c_contiguous(const Shape& shape, const Strides& strides);
bool is_f_contiguous(const Shape& shape, const Strides& strides);

// Returns the shape that the shapes broadcast to by NumPy's rule. Throws ShapeError "<what>: shapes
// (3, 4) and (5,) do not broadcast".
Shape broadcast_shapes(std::span<const Shape> shapes, const char* what);
// Returns the strides that read `shape` as `target`, with 0 along broadcast axes. The shapes must
// broadcast.
Strides broadcast_strides(const Shape& shape, const Strides& strides, const Shape& target);

// Returns the axis counted from the front, in [0, ndim). Throws AxisError "axis 3 is out of bounds
// for array of dimension 2".
int normalize_axis(int64_t axis, int ndim);

// Returns the strides that view `shape` as `target` in C order without a copy; nullopt if only a
// copy can. Both shapes have the same number of elements.
std::optional<Strides> reshape_strides(const Shape& shape, const Strides& strides,
                                       const Shape& target);

// The bytes that an array touches, relative to its first element: `begin` is the first byte, at
// most 0, and `end` is one past the last.
struct Extent {
  int64_t begin;
  int64_t end;
};
// Returns the bytes that an array touches. `strides` count elements.
Extent byte_extent(const Shape& shape, const Strides& strides, int itemsize);

// Drops axes of extent 1 and merges neighbouring axes that every operand walks with one stride. A
// single element is left with no axes. `shape` and `strides` are changed in place.
void merge_axes(Shape& shape, std::span<Strides> strides);
// Orders the axes by the first operand's strides, the largest outermost, and then merges them as
// merge_axes() does. Only for operations that do not depend on the order of elements.
void collapse(Shape& shape, std::span<Strides> strides);

}  // namespace gpuarray
