// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "array/array.hpp"

// Views of arrays: the same memory with other shapes and strides. Errors are NumPy's.
namespace gpuarray {

enum class IndexKind : uint8_t { integer, slice, newaxis, ellipsis };

// One entry of a[...]. Slice bounds are as Python gives them, not yet fitted to an axis.
struct Index {
  IndexKind kind = IndexKind::ellipsis;
  int64_t start = 0;  // the integer, or the first element of the slice
  int64_t stop = 0;
  int64_t step = 1;
};

struct SliceRange {
  int64_t start;
  int64_t length;
};
// Python's clipping of a slice to an axis of `extent` elements; `step` is not 0.
SliceRange fit_slice(const Index& slice, int64_t extent);

// a[indices]. Throws IndexError for a bad index, ValueError for a zero step.
Array index_view(const Array& array, std::span<const Index> indices);

// `shape` may hold one -1. Order 'C', 'F' or 'A'; a view where one exists, else a copy.
Array reshape(const Array& array, const Shape& shape, char order = 'C');
// 1-d, order as NumPy's ravel; a view where one exists.
Array ravel(const Array& array, char order = 'C');
// 1-d, always a copy.
Array flatten(const Array& array, char order = 'C');

// Axes may be negative; throws ValueError unless they are a permutation.
Array transpose(const Array& array, std::span<const int64_t> axes);
Array transpose(const Array& array);  // all axes reversed
Array swap_axes(const Array& array, int64_t first, int64_t second);
// Drops `axes` (normalized, each of extent 1).
Array squeeze(const Array& array, std::span<const int> axes);
Array squeeze(const Array& array);  // all axes of extent 1

// The same bytes as another dtype, with NumPy's rules for the last axis.
Array reinterpret(const Array& array, DType dtype);

}  // namespace gpuarray
