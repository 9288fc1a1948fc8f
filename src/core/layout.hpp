// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/dims.hpp"

namespace gpuarray {

// Number of elements. Throws ValueError for a negative extent and, as NumPy does, where the extents
// other than 0 multiply with the itemsize to more than 2^63 - 1 bytes.
int64_t element_count(const Shape& shape, int itemsize = 1);

// `order` is 'C' or 'F'.
Strides contiguous_strides(const Shape& shape, char order = 'C');
// Dense strides in the axis order of `strides`, as NumPy's order='K'.
Strides keep_order_strides(const Shape& shape, const Strides& strides);
// The same for several operands, each given by its strides over `shape`: the order of axes that
// they agree on, C order where they do not, as NumPy's iterator lays out a result.
Strides common_order_strides(const Shape& shape, std::span<const Strides> operands);

bool is_c_contiguous(const Shape& shape, const Strides& strides);
bool is_f_contiguous(const Shape& shape, const Strides& strides);

// NumPy's broadcast; throws ShapeError "<what>: shapes (3, 4) and (5,) do not broadcast".
Shape broadcast_shapes(std::span<const Shape> shapes, const char* what);
// Strides that read `shape` as `target`, 0 along broadcast axes. The shapes must broadcast.
Strides broadcast_strides(const Shape& shape, const Strides& strides, const Shape& target);

// Axis in [0, ndim); throws AxisError "axis 3 is out of bounds for array of dimension 2".
int normalize_axis(int64_t axis, int ndim);

// Strides that view `shape` as `target` without a copy (C order), if there are such.
std::optional<Strides> reshape_strides(const Shape& shape, const Strides& strides,
                                       const Shape& target);

// First and past-the-last byte that an array touches, relative to its first element.
struct Extent {
  int64_t begin;
  int64_t end;
};
Extent byte_extent(const Shape& shape, const Strides& strides, int itemsize);

// Drops axes of extent 1 and merges neighbours that every operand walks with one stride. Leaves
// ndim 0 for a single element.
void merge_axes(Shape& shape, std::span<Strides> strides);
// The same after ordering the axes by the first operand's strides, largest outermost.
void collapse(Shape& shape, std::span<Strides> strides);

}  // namespace gpuarray
