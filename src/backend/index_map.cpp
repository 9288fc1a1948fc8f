// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/index_map.hpp"

#include "backend/backend.hpp"
#include "core/layout.hpp"
#include "kernels/elementwise/walk_params.hpp"

namespace gpuarray {
namespace {

// Moves operand k by so many elements along the axis.
void move(ElementwisePlan& plan, int k, int axis, int64_t elements) {
  plan.data[k] = static_cast<char*>(plan.data[k]) +
                 elements * plan.strides[k][axis] * itemsize(plan.dtypes[k]);
}

bool swaps_halves(const Shape& shape, int axis, int64_t wrap, int ndim) {
  return 2 * wrap == shape[axis] && ndim < kFewDims;
}

// Makes the axis two, of the halves, which the source takes backwards, and of their elements.
void swap_halves(ElementwisePlan& plan, int axis, int64_t wrap) {
  move(plan, 1, axis, wrap);
  plan.shape[axis] = wrap;
  plan.shape.insert(axis, 2);
  for (int k = 0; k < 2; ++k)
    plan.strides[k].insert(axis, (k == 0 ? wrap : -wrap) * plan.strides[k][axis]);
}

// Runs the boxes of a plan, whose axes before `axis` need no more cuts.
void visit_boxes(const ElementwisePlan& plan, Dims wraps, int axis,
                 const std::function<void(ElementwisePlan& box)>& run) {
  while (axis < wraps.size() && wraps[axis] == 0) ++axis;
  ElementwisePlan box = plan;
  if (axis == wraps.size()) {
    box.size = element_count(box.shape);
    return run(box);
  }
  const int64_t extent = plan.shape[axis], wrap = wraps[axis];
  if (swaps_halves(plan.shape, axis, wrap, plan.shape.size())) {
    swap_halves(box, axis, wrap);
    wraps.insert(axis, 0);
    return visit_boxes(box, wraps, axis + 2, run);
  }
  box.shape[axis] = extent - wrap;
  move(box, 1, axis, wrap);
  visit_boxes(box, wraps, axis + 1, run);
  box.shape[axis] = wrap;
  move(box, 1, axis, -wrap);
  move(box, 0, axis, extent - wrap);
  visit_boxes(box, wraps, axis + 1, run);
}

}  // namespace

int IndexMap::boxes(const Shape& shape) const {
  int count = 1, ndim = shape.size();
  for (int axis = 0; axis < shape.size(); ++axis) {
    if (wraps[axis] == 0) continue;
    if (swaps_halves(shape, axis, wraps[axis], ndim))
      ++ndim;
    else
      count *= 2;
  }
  return count;
}

Strides fence_of(int ndim, std::span<const Strides> wraps) {
  Strides fence(ndim, 0);
  for (const Strides& each : wraps)
    for (int axis = 0; axis < ndim; ++axis)
      if (each[axis] != 0) fence[axis] = 1;
  return fence;
}

void for_each_box(const ElementwisePlan& plan, const IndexMap& map,
                  const std::function<void(ElementwisePlan& box)>& run) {
  visit_boxes(plan, map.wraps, 0, run);
}

}  // namespace gpuarray
