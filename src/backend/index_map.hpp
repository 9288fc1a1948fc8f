// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <functional>
#include <span>

#include "core/dims.hpp"

namespace gpuarray {

struct ElementwisePlan;

// Tells which element of an operand an element-wise operation reads for each element of its shape.
// A map is piecewise affine along each axis: the shape falls into boxes, in each of which the
// operand is a strided view. An operand without a map is read at the operation's own elements.
struct IndexMap {
  // Along an axis of `n` elements, element i reads element (i + wraps[axis]) mod n. Each is at
  // least 0 and below n; 0 is the element itself.
  Dims wraps;

  bool operator==(const IndexMap&) const = default;
  // Returns the number of elements, or minus that, by which most elements along the axis move.
  int64_t distance(const Shape& shape, int axis) const {
    return 2 * wraps[axis] <= shape[axis] ? wraps[axis] : wraps[axis] - shape[axis];
  }
  // Returns how many plans for_each_box() makes.
  int boxes(const Shape& shape) const;
};

// Returns strides beside which merge_axes() and collapse() merge no axis along which one of these
// wraps. The wraps themselves may stand among the strides, too, which are then reordered alike.
Strides fence_of(int ndim, std::span<const Strides> wraps);

// Calls run(plan) for plans which together copy operand 1 to operand 0 as the map says. Axes whose
// halves change places stay whole.
void for_each_box(const ElementwisePlan& plan, const IndexMap& map,
                  const std::function<void(ElementwisePlan& box)>& run);

}  // namespace gpuarray
