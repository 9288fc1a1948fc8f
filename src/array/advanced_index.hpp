// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "array/array.hpp"
#include "array/indexing.hpp"

// Keys of a[...] with arrays in them: copies, not views. Errors are NumPy's.
namespace gpuarray {

// One entry of a key: an array of integers, of one dimension at least, or of bools; else basic.
struct KeyEntry {
  Index basic;
  std::optional<Array> array;
};

// What a key means: the axes of a view that are indexed, and by what.
struct IndexedView {
  struct Axis {
    Array indices;  // of any integer dtype
    int axis;       // of the view
    int number;     // of the array, for reports
  };

  Array view;  // what the basic entries make of the array
  std::vector<Axis> axes;
  Shape broadcast;         // of the indices together
  int position = 0;        // of `broadcast` among the axes of the result
  Shape shape;             // of the result
  bool may_repeat = true;  // whether an element can be meant twice
};

// Looks masks up, which waits for the device. Throws IndexError for a key that does not fit, and
// CaptureError for a mask under capture.
IndexedView resolve_key(const Array& array, std::span<const KeyEntry> key);

// The mask, where it is all of the key, or null.
const Array* only_mask(std::span<const KeyEntry> key);
// Throws IndexError unless the mask has the array's extents from `axis` on.
void require_mask_fits(const Array& array, const Array& mask, int axis = 0);

}  // namespace gpuarray
