// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <span>

#include "array/array.hpp"
#include "array/indexing.hpp"
#include "core/kept_blocks.hpp"

// Keys of a[...] that contain arrays, which make copies instead of views. Errors are NumPy's.
namespace gpuarray {

// One entry of a key. `array`, if given, holds integers in at least one dimension, or bools;
// otherwise the entry is `basic`.
struct KeyEntry {
  Index basic;
  std::optional<Array> array;
};
using Key = KeptVector<KeyEntry>;

// What a key means: a view of the array, and the axes of that view that arrays of integers index.
struct IndexedView {
  struct Axis {
    Array indices;  // of any integer dtype
    int axis;       // an axis of the view
    int number;     // the array's axis, for error messages
  };

  Array view;  // the array by the basic entries alone
  KeptVector<Axis> axes;
  Shape broadcast;         // the shape that the indices broadcast to
  int position = 0;        // where the axes of `broadcast` begin in the result
  Shape shape;             // of the result
  bool may_repeat = true;  // whether two indices can mean the same element
};

// Resolves a key of `array`. Masks become arrays of indices, which waits for the device. Throws
// IndexError for a key that does not fit, and CaptureError for a mask while the stream captures.
IndexedView resolve_key(const Array& array, std::span<const KeyEntry> key);

// Returns the mask if it is the only entry of the key, or null. It points into `key`.
const Array* only_mask(std::span<const KeyEntry> key);
// Throws IndexError unless the mask's shape is that of the array's axes from `axis` on.
void require_mask_fits(const Array& array, const Array& mask, int axis = 0);

}  // namespace gpuarray
