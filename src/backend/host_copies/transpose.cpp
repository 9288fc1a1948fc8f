// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>

#include "backend/host/host.hpp"
#include "backend/host/walk.hpp"
#include "core/layout.hpp"

namespace gpuarray::host {
namespace {

constexpr int64_t kTile = 32;  // elements along both axes; its lines stay in the first cache

template <size_t kSize>
struct Bytes {
  char bytes[kSize];
};

// One matrix: the target's rows are contiguous, the source's columns are.
struct Turned {
  int64_t rows;
  int64_t columns;
  int64_t target_pitch;  // elements between rows of the target
  int64_t source_pitch;  // elements between columns of the source
};

template <size_t kSize>
void turn(const Turned turned, Bytes<kSize>* __restrict__ target,
          const Bytes<kSize>* __restrict__ source) {
  const int64_t target_pitch = turned.target_pitch, source_pitch = turned.source_pitch;
  for (int64_t top = 0; top < turned.rows; top += kTile)
    for (int64_t left = 0; left < turned.columns; left += kTile) {
      const int64_t height = std::min(kTile, turned.rows - top);
      const int64_t width = std::min(kTile, turned.columns - left);
      const Bytes<kSize>* const from = source + left * source_pitch + top;
      for (int64_t row = 0; row < height; ++row) {
        Bytes<kSize>* const to = target + (top + row) * target_pitch + left;
        for (int64_t column = 0; column < width; ++column)
          to[column] = from[column * source_pitch + row];
      }
    }
}

template <size_t kSize>
void turn_all(const ElementwisePlan& plan, const Turned& turned, int rows_axis) {
  Shape shape = plan.shape;
  Strides target = plan.strides[0], source = plan.strides[1];
  for (Dims* dims : {&shape, &target, &source}) {
    dims->erase(plan.shape.size() - 1);
    dims->erase(rows_axis);
  }
  OffsetWalk walk(shape, &target, &source);
  const int64_t matrices = element_count(shape);
  for (int64_t k = 0; k < matrices; ++k, walk.next())
    turn(turned, static_cast<Bytes<kSize>*>(plan.data[0]) + walk.offset(0),
         static_cast<const Bytes<kSize>*>(plan.data[1]) + walk.offset(1));
}

}  // namespace

bool copy_turned(const ElementwisePlan& plan) {
  const int last = plan.shape.size() - 1;
  if (last < 1 || plan.dtypes[0] != plan.dtypes[1] || plan.data[1] == nullptr) return false;
  const Strides &target = plan.strides[0], &source = plan.strides[1];
  if (target[last] != 1 || plan.shape[last] < kTile / 4) return false;
  int axis = last - 1;
  while (axis >= 0 && source[axis] != 1) --axis;
  if (axis < 0 || source[last] == 1 || plan.shape[axis] < kTile / 4) return false;
  const Turned turned{plan.shape[axis], plan.shape[last], target[axis], source[last]};
  switch (itemsize(plan.dtypes[0])) {
    case 1:
      turn_all<1>(plan, turned, axis);
      return true;
    case 2:
      turn_all<2>(plan, turned, axis);
      return true;
    case 4:
      turn_all<4>(plan, turned, axis);
      return true;
    case 8:
      turn_all<8>(plan, turned, axis);
      return true;
    case 16:
      turn_all<16>(plan, turned, axis);
      return true;
  }
  return false;
}

}  // namespace gpuarray::host
