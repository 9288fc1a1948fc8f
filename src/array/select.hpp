// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <optional>

#include "array/array.hpp"

// Selection of elements by masks, on the current stream of the array's device.
namespace gpuarray::ops {

// The true elements of a mask and their number, as they were when they were counted; a later change
// of the mask does not affect them.
struct TrueCount {
  Array flags;  // int64: the sums of MaskFlags, followed by its words
  int64_t count = 0;
};

// Counts the true elements of a mask. Waits for the device; throws CaptureError under capture.
TrueCount count_true(const Array& mask);
// Counts the elements of a sorted, contiguous 1-d array that differ from the one before, and writes
// a mask of them to `firsts`; with `equal_nan` NaNs do not differ. Waits and throws as count_true.
TrueCount count_runs(const Array& sorted, bool equal_nan, const Array& firsts);

// Returns the distinct elements of a 1-d array in order, as a selection of its runs would, or
// nothing where sorting it finds them sooner, for which the number of elements does not count if
// `few`. Waits and throws as count_true.
std::optional<Array> distinct_values(const Array& source, bool equal_nan, bool few);

// Returns the int64 indices of the true elements, a row for each axis, or a single row of indices
// in C order if `flat`. Waits and throws as count_true.
Array nonzero_of(const Array& mask, bool flat);
// Returns the indices of elements that were counted before, in a mask of `shape`. Does not wait.
Array nonzero_of(const TrueCount& found, const Shape& shape);

// Returns array[mask], a new 1-d array; array and mask must have one shape. Waits and throws as
// count_true.
Array select(const Array& array, const Array& mask);
// Returns the same for a mask that was counted before. Does not wait.
Array select(const Array& array, const TrueCount& found);
// Does array[mask] = value; array and mask must have one shape. Waits and throws as count_true
// unless the value is a single element. Throws ValueError or TypeError for values that do not fit.
void set_selected(const Array& array, const Array& mask, const Operand& value);

}  // namespace gpuarray::ops
