// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/layout.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "core/error.hpp"

namespace gpuarray {

int64_t element_count(const Shape& shape, int itemsize) {
  int64_t count = 1;
  bool empty = false, overflows = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      throw ValueError("negative dimensions are not allowed: got shape " + to_string(shape));
    empty |= extent == 0;
    if (extent > 0) overflows |= __builtin_mul_overflow(count, extent, &count);
  }
  int64_t nbytes;
  if (overflows || __builtin_mul_overflow(count, int64_t{itemsize}, &nbytes))
    throw ValueError("array is too big: shape " + to_string(shape) +
                     " has more than 2**63 - 1 bytes");
  return empty ? 0 : count;
}

Strides contiguous_strides(const Shape& shape, char order) {
  Strides strides(shape.size(), 1);
  int64_t step = 1;
  for (int i = 0; i < shape.size(); ++i) {
    int axis = order == 'F' ? i : shape.size() - 1 - i;
    strides[axis] = step;
    step *= shape[axis] > 0 ? shape[axis] : 1;
  }
  return strides;
}

Strides keep_order_strides(const Shape& shape, const Strides& strides) {
  Dims axes(shape.size(), 0);
  std::iota(axes.begin(), axes.end(), 0);
  std::stable_sort(axes.begin(), axes.end(), [&](int64_t a, int64_t b) {
    return std::abs(strides[static_cast<int>(a)]) > std::abs(strides[static_cast<int>(b)]);
  });
  Strides kept(shape.size(), 1);
  int64_t step = 1;
  for (int i = shape.size() - 1; i >= 0; --i) {
    int axis = static_cast<int>(axes[i]);
    kept[axis] = step;
    step *= shape[axis] > 0 ? shape[axis] : 1;
  }
  return kept;
}

namespace {

// Whether all operands that walk both axes take shorter steps along `axis`; nullopt if none walks
// both.
std::optional<bool> lies_inside(int axis, int other, std::span<const Strides> operands) {
  std::optional<bool> inside;
  for (const Strides& strides : operands) {
    if (strides[axis] == 0 || strides[other] == 0) continue;
    const bool shorter = std::abs(strides[axis]) < std::abs(strides[other]);
    inside = inside.value_or(true) && shorter;
  }
  return inside;
}

}  // namespace

Strides common_order_strides(const Shape& shape, std::span<const Strides> operands) {
  Dims axes;  // the axes in their order, innermost first
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    int place = axes.size();
    for (int i = axes.size() - 1; i >= 0 && shape[axis] != 1; --i) {
      const int other = static_cast<int>(axes[i]);
      const std::optional<bool> inside =
          shape[other] == 1 ? std::nullopt : lies_inside(axis, other, operands);
      if (inside == false) break;
      if (inside == true) place = i;
    }
    axes.insert(place, axis);
  }
  Strides dense(shape.size(), 1);
  int64_t step = 1;
  for (int64_t axis : axes) {
    dense[static_cast<int>(axis)] = step;
    step *= std::max<int64_t>(shape[static_cast<int>(axis)], 1);
  }
  return dense;
}

namespace {

bool is_contiguous(const Shape& shape, const Strides& strides, char order) {
  int64_t step = 1;
  bool dense = true;
  for (int i = 0; i < shape.size(); ++i) {
    int axis = order == 'F' ? i : shape.size() - 1 - i;
    if (shape[axis] == 0) return true;
    if (shape[axis] == 1) continue;
    dense = dense && strides[axis] == step;
    step *= shape[axis];
  }
  return dense;
}

}  // namespace

bool is_c_contiguous(const Shape& shape, const Strides& strides) {
  return is_contiguous(shape, strides, 'C');
}

bool is_f_contiguous(const Shape& shape, const Strides& strides) {
  return is_contiguous(shape, strides, 'F');
}

int normalize_axis(int64_t axis, int ndim) {
  if (axis < -ndim || axis >= ndim)
    throw AxisError("axis " + std::to_string(axis) + " is out of bounds for array of dimension " +
                    std::to_string(ndim));
  return static_cast<int>(axis < 0 ? axis + ndim : axis);
}

Extent byte_extent(const Shape& shape, const Strides& strides, int itemsize) {
  Extent extent{0, itemsize};
  for (int axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 0) return {0, 0};
    int64_t reach = (shape[axis] - 1) * strides[axis] * itemsize;
    (reach < 0 ? extent.begin : extent.end) += reach;
  }
  return extent;
}

std::optional<Strides> reshape_strides(const Shape& shape, const Strides& strides,
                                       const Shape& target) {
  if (element_count(target) == 0) return contiguous_strides(target);
  // Axes of extent 1 do not matter; the others are matched in runs that have equal numbers of
  // elements.
  Shape old_shape;
  Strides old_strides;
  for (int axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 1) continue;
    old_shape.push_back(shape[axis]);
    old_strides.push_back(strides[axis]);
  }
  Strides result(target.size(), 1);
  int old_end = old_shape.size();
  int new_end = target.size();
  int64_t step = 1;
  while (old_end > 0) {
    int old_begin = old_end - 1;
    int new_begin = new_end - 1;
    int64_t old_count = old_shape[old_begin];
    int64_t new_count = target[new_begin];
    while (old_count != new_count) {
      if (new_count < old_count) {
        new_count *= target[--new_begin];
      } else {
        --old_begin;
        // A run can be viewed with other extents only if each of its axes continues the next.
        if (old_strides[old_begin] != old_strides[old_begin + 1] * old_shape[old_begin + 1])
          return std::nullopt;
        old_count *= old_shape[old_begin];
      }
    }
    step = old_strides[old_end - 1];
    for (int axis = new_end - 1; axis >= new_begin; --axis) {
      result[axis] = step;
      step *= target[axis];
    }
    old_end = old_begin;
    new_end = new_begin;
  }
  // The remaining axes have extent 1 and get the strides that NumPy gives them.
  std::fill_n(result.begin(), new_end, step);
  return result;
}

}  // namespace gpuarray
