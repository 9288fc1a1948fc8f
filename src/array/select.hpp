// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "array/array.hpp"

// Selection of elements by masks.
namespace gpuarray::ops {

// The true elements of a mask and their number, as they were when they were counted: a later change
// of the mask does not matter.
struct TrueCount {
  Array flags;  // int64: the sums of the tiles, then the words of MaskFlags
  int64_t count = 0;
};

// Counts the true elements of a mask. Waits for the device; throws CaptureError under capture.
TrueCount count_true(const Array& mask);
// Counts the elements of a sorted, contiguous 1-d array that differ from the one before, and writes
// a mask of them to `firsts`; with `equal_nan` NaNs do not differ. Waits and throws as count_true.
TrueCount count_runs(const Array& sorted, bool equal_nan, const Array& firsts);

// The indices of the true elements, a row for each axis; with `flat` one row of indices in C order.
Array nonzero_of(const Array& mask, bool flat);
Array nonzero_of(const TrueCount& found, const Shape& shape);

// a[mask], and a[mask] = value; array and mask are of one shape.
Array select(const Array& array, const Array& mask);
Array select(const Array& array, const TrueCount& found);
void set_selected(const Array& array, const Array& mask, const Operand& value);

}  // namespace gpuarray::ops
