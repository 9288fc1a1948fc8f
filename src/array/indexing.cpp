// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/indexing.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"

namespace gpuarray {

SliceRange fit_slice(const Index& slice, int64_t extent) {
  const bool forward = slice.step > 0;
  const int64_t low = forward ? 0 : -1;
  const int64_t high = forward ? extent : extent - 1;
  auto fit = [&](int64_t bound) {
    if (bound < 0) bound = bound < -extent ? low : bound + extent;
    return std::clamp(bound, low, high);
  };
  const int64_t start = fit(slice.start);
  const int64_t stop = fit(slice.stop);
  if (forward) return {start, start < stop ? (stop - start - 1) / slice.step + 1 : 0};
  // The step is negated as an unsigned number, which can hold the magnitude of the smallest step.
  const uint64_t step = 0 - static_cast<uint64_t>(slice.step);
  if (stop >= start) return {start, 0};
  return {start, static_cast<int64_t>(static_cast<uint64_t>(start - stop - 1) / step) + 1};
}

namespace {

int64_t fit_integer(int64_t index, int axis, int64_t extent) {
  if (index >= -extent && index < extent) return index < 0 ? index + extent : index;
  throw IndexError("index " + std::to_string(index) + " is out of bounds for axis " +
                   std::to_string(axis) + " with size " + std::to_string(extent));
}

// Walks an index expression, filling the view's shape, strides and offset.
class Walk {
 public:
  explicit Walk(const Array& array) : array_(array) {}

  Array view(std::span<const Index> indices) {
    const int skipped = array_.ndim() - count_axes(indices);
    bool expanded = false;
    for (const Index& index : indices) {
      if (index.kind == IndexKind::ellipsis) {
        keep(skipped);
        expanded = true;
      } else {
        apply(index);
      }
    }
    if (!expanded) keep(skipped);
    return array_.view(shape_, strides_, offset_ * array_.itemsize());
  }

 private:
  int count_axes(std::span<const Index> indices) const {
    int axes = 0;
    int ellipses = 0;
    for (const Index& index : indices) {
      axes += index.kind == IndexKind::integer || index.kind == IndexKind::slice;
      ellipses += index.kind == IndexKind::ellipsis;
    }
    if (ellipses > 1) throw IndexError("an index can only have a single ellipsis ('...')");
    if (axes <= array_.ndim()) return axes;
    throw IndexError("too many indices for array: array is " + std::to_string(array_.ndim()) +
                     "-dimensional, but " + std::to_string(axes) + " were indexed");
  }

  void apply(const Index& index) {
    if (index.kind == IndexKind::newaxis) return add(1, 0);
    const int64_t extent = array_.shape()[axis_];
    const int64_t stride = array_.strides()[axis_];
    if (index.kind == IndexKind::integer) {
      offset_ += fit_integer(index.start, axis_, extent) * stride;
    } else {
      apply_slice(index, extent, stride);
    }
    ++axis_;
  }

  void apply_slice(const Index& slice, int64_t extent, int64_t stride) {
    if (slice.step == 0) throw ValueError("slice step cannot be zero");
    const SliceRange range = fit_slice(slice, extent);
    if (range.length > 0) offset_ += range.start * stride;
    // The product is only needed between two elements, and then it cannot overflow.
    add(range.length, range.length > 1 ? stride * slice.step : stride);
  }

  void keep(int count) {
    for (int kept = 0; kept < count; ++kept, ++axis_)
      add(array_.shape()[axis_], array_.strides()[axis_]);
  }

  void add(int64_t extent, int64_t stride) {
    if (shape_.size() == kMaxDims)
      throw IndexError("number of dimensions must be within [0, " + std::to_string(kMaxDims) +
                       "], indexing result would have more");
    shape_.push_back(extent);
    strides_.push_back(stride);
  }

  const Array& array_;
  Shape shape_;
  Strides strides_;
  int64_t offset_ = 0;  // elements
  int axis_ = 0;
};

}  // namespace

Array index_view(const Array& array, std::span<const Index> indices) {
  return Walk(array).view(indices);
}

}  // namespace gpuarray
