// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <vector>

#include "array/array.hpp"

// Copies that are made for Fourier transforms, and views. All work is queued on the current stream.
namespace gpuarray::ops {

// Returns a view of the first `lengths` elements along the axes, or of all where there are fewer.
Array cropped(const Array& array, const std::vector<int>& axes, const Shape& lengths);

// Returns a new array of `shape` in which `innermost` are the innermost axes, the last one with
// stride 1.
Array empty_with_innermost(const Shape& shape, DType dtype, const std::vector<int>& innermost,
                           Device device);

// A factor that the result of a transform still has to be multiplied by.
class PendingScale {
 public:
  explicit PendingScale(double scale) : value_(scale) {}

  double value() const { return value_; }
  bool is_done() const { return value_ == 1; }
  void done() { value_ = 1; }

  // Copies the elements, converted and multiplied, to the target, which they do not overlap.
  void copy(const Array& target, const Array& source);
  // Multiplies the array in place.
  void apply(const Array& array);

 private:
  double value_;
};

// Copies the source to the first elements of a target of no smaller extents, and sets the others to
// 0. It is conjugated, and then not multiplied, or multiplied by the scale.
void copy_padded(const Array& target, const Array& source, bool conjugates, PendingScale& scale);

// Replaces the elements of a complex array by their conjugates.
void conjugate_in_place(const Array& array);

}  // namespace gpuarray::ops
