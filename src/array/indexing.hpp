// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "array/array.hpp"

// Views of arrays: the same memory with other shapes and strides. They queue no work unless a
// contract says that it copies. Errors are NumPy's.
namespace gpuarray {

enum class IndexKind : uint8_t { integer, slice, newaxis, ellipsis };

// One basic entry of a[...]. Negative numbers count from the end of the axis; the bounds of a slice
// are not yet clipped to it.
struct Index {
  IndexKind kind = IndexKind::ellipsis;
  int64_t start = 0;  // the integer, or the first element of the slice
  int64_t stop = 0;
  int64_t step = 1;
};

// The elements that a slice means: the first one and how many.
struct SliceRange {
  int64_t start;
  int64_t length;
};
// Clips a slice to an axis of `extent` elements, as Python does. Its step must not be 0.
SliceRange fit_slice(const Index& slice, int64_t extent);

// Returns a[indices], a view. Throws IndexError for a bad index, and ValueError for a step of 0.
Array index_view(const Array& array, std::span<const Index> indices);

// Returns the elements in `order` ('C', 'F' or 'A') as an array of `shape`, which may hold one -1:
// a view if one exists, else a copy made on the current stream. Throws ValueError if the sizes
// differ.
Array reshape(const Array& array, const Shape& shape, char order = 'C');
// Returns the elements as a 1-d array, in an order of NumPy's ravel: a view if one exists, else a
// copy made on the current stream.
Array ravel(const Array& array, char order = 'C');
// Returns the same, always as a copy.
Array flatten(const Array& array, char order = 'C');

// Returns a view with the axes in this order; they may be negative. Throws AxisError, and
// ValueError unless they are a permutation.
Array transpose(const Array& array, std::span<const int64_t> axes);
Array transpose(const Array& array);  // the axes are reversed
// Returns a view with two axes exchanged, which may be negative. Throws AxisError.
Array swap_axes(const Array& array, int64_t first, int64_t second);
// Returns a view without `axes`, which are normalized. Throws ShapeError unless all have extent 1,
// and ValueError if one is repeated.
Array squeeze(const Array& array, std::span<const int> axes);
Array squeeze(const Array& array);  // without all axes of extent 1

// Returns a view of the same bytes as another dtype; the last axis becomes longer or shorter by
// NumPy's rules. Throws ValueError if it cannot.
Array reinterpret(const Array& array, DType dtype);

}  // namespace gpuarray
