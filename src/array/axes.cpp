// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/axes.hpp"

#include <algorithm>
#include <string>

#include "array/indexing.hpp"
#include "core/error.hpp"

namespace gpuarray {
namespace {

// Adds an axis to a set of axes below 64. Throws ValueError(repeated) if it is already there.
void add_axis(uint64_t& seen, int axis, const char* repeated) {
  const uint64_t bit = uint64_t{1} << axis;
  if (seen & bit) throw ValueError(repeated);
  seen |= bit;
}

Array without_axes(const Array& array, uint64_t dropped) {
  Shape shape;
  Strides strides;
  for (int axis = 0; axis < array.ndim(); ++axis) {
    if (dropped >> axis & 1) continue;
    shape.push_back(array.shape()[axis]);
    strides.push_back(array.strides()[axis]);
  }
  return array.view(shape, strides);
}

bool contains(std::span<const int> axes, int axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

}  // namespace

Array transpose(const Array& array, std::span<const int64_t> axes) {
  if (static_cast<int>(axes.size()) != array.ndim()) throw ValueError("axes don't match array");
  Shape shape;
  Strides strides;
  uint64_t seen = 0;
  for (int64_t given : axes) {
    const int axis = normalize_axis(given, array.ndim());
    add_axis(seen, axis, "repeated axis in transpose");
    shape.push_back(array.shape()[axis]);
    strides.push_back(array.strides()[axis]);
  }
  return array.view(shape, strides);
}

Array transpose(const Array& array) {
  Shape shape = array.shape();
  Strides strides = array.strides();
  std::reverse(shape.begin(), shape.end());
  std::reverse(strides.begin(), strides.end());
  return array.view(shape, strides);
}

Array swap_axes(const Array& array, int64_t first, int64_t second) {
  const int a = normalize_axis(first, array.ndim());
  const int b = normalize_axis(second, array.ndim());
  Shape shape = array.shape();
  Strides strides = array.strides();
  std::swap(shape[a], shape[b]);
  std::swap(strides[a], strides[b]);
  return array.view(shape, strides);
}

Array squeeze(const Array& array, std::span<const int> axes) {
  uint64_t dropped = 0;
  for (int axis : axes) {
    if (array.shape()[axis] != 1)
      throw ShapeError("cannot select an axis to squeeze out which has size not equal to one");
    add_axis(dropped, axis, "duplicate value in 'axis'");
  }
  return without_axes(array, dropped);
}

Array squeeze(const Array& array) {
  uint64_t dropped = 0;
  for (int axis = 0; axis < array.ndim(); ++axis)
    if (array.shape()[axis] == 1) dropped |= uint64_t{1} << axis;
  return without_axes(array, dropped);
}

namespace ops {

SplitAxes split_axes(const Shape& shape, const Strides& strides, std::span<const int> axes,
                     bool keepdims) {
  SplitAxes split;
  for (int axis = 0; axis < shape.size(); ++axis) {
    const bool reduced = contains(axes, axis);
    (reduced ? split.reduced : split.kept).push_back(shape[axis]);
    (reduced ? split.reduced_strides : split.kept_strides).push_back(strides[axis]);
    if (!reduced || keepdims) split.result.push_back(reduced ? 1 : shape[axis]);
  }
  return split;
}

Strides kept_strides(const Strides& result, const SplitAxes& split, std::span<const int> axes) {
  if (result.size() == split.kept.size()) return result;
  Strides strides;
  for (int axis = 0; axis < result.size(); ++axis)
    if (!contains(axes, axis)) strides.push_back(result[axis]);
  return strides;
}

}  // namespace ops
}  // namespace gpuarray
