// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/dims.hpp"

namespace gpuarray::host {

// Walks the first `ndim` axes of a shape in C order, beginning at index 0 of each. Borrows the
// shape.
class Odometer {
 public:
  Odometer(const Shape& shape, int ndim) : shape_(shape), index_(std::max(ndim, 0), 0) {}

  // Goes to the next index, and from the last one back to the first. Calls move(axis, steps) for
  // each axis along which the index changes by `steps`.
  template <class Move>
  void next(Move&& move) {
    for (int axis = index_.size() - 1; axis >= 0; --axis) {
      const bool wraps = ++index_[axis] == shape_[axis];
      move(axis, wraps ? 1 - shape_[axis] : 1);
      if (!wraps) return;
      index_[axis] = 0;
    }
  }

  // Goes from the first index to the one that next() would reach in `position` steps. Calls
  // move(axis, steps) as next() does.
  template <class Move>
  void seek(int64_t position, Move&& move) {
    for (int axis = index_.size() - 1; axis >= 0 && position > 0; --axis) {
      index_[axis] = position % shape_[axis];
      position /= shape_[axis];
      move(axis, index_[axis]);
    }
  }

 private:
  const Shape& shape_;
  Dims index_;
};

// Walks all axes of a shape and keeps the offsets, in elements, of one or two operands. Borrows the
// shape and the strides.
class OffsetWalk {
 public:
  OffsetWalk(const Shape& shape, const Strides* first, const Strides* second = nullptr)
      : walk_(shape, shape.size()), strides_{first, second} {}

  int64_t offset(int operand) const { return offsets_[operand]; }

  // Goes from the first index to the one that next() would reach in `position` steps.
  void seek(int64_t position) {
    walk_.seek(position, [this](int axis, int64_t steps) { move(axis, steps); });
  }
  void next() {
    walk_.next([this](int axis, int64_t steps) { move(axis, steps); });
  }

 private:
  void move(int axis, int64_t steps) {
    for (int k = 0; k < 2; ++k)
      if (strides_[k] != nullptr) offsets_[k] += steps * (*strides_[k])[axis];
  }

  Odometer walk_;
  const Strides* strides_[2];
  int64_t offsets_[2] = {0, 0};
};

}  // namespace gpuarray::host
