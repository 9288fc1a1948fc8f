// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/operand_block.hpp"
#include "core/dims.hpp"
#include "core/dtype.hpp"

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

// Calls visit(from, count, at) for each stretch of a row of the elements [begin, end), counted in C
// order. from[k] is the address of the first one in operand k, if element 0 of all is at data[k];
// the stretch has `count` elements, the first of which is number `at` of all.
template <int most, class Visit>
void for_each_row(const OperandBlock<most>& operands, char* const* data, int64_t begin, int64_t end,
                  Visit&& visit) {
  const int inner = operands.shape.size() - 1, count = operands.operand_count;
  char* first[most];  // of the row
  std::copy_n(data, count, first);
  const auto offset = [&](int k, int axis, int64_t steps) {
    return steps * operands.strides[k][axis] * itemsize(operands.dtypes[k]);
  };
  if (inner <= 0) {  // a single row takes fewer instructions
    for (int k = 0; k < count && begin > 0; ++k) first[k] += offset(k, 0, begin);
    return visit(first, end - begin, begin);
  }
  const auto move = [&](int axis, int64_t steps) {
    for (int k = 0; k < count; ++k) first[k] += offset(k, axis, steps);
  };
  const int64_t row = operands.shape[inner];
  Odometer walk(operands.shape, inner);
  if (begin > 0) walk.seek(begin / row, move);
  for (int64_t at = begin, column = begin % row; at < end; column = 0) {
    const int64_t length = std::min(row - column, end - at);
    char* from[most];
    for (int k = 0; k < count; ++k) from[k] = first[k] + offset(k, inner, column);
    visit(from, length, at);
    at += length;
    if (at < end) walk.next(move);
  }
}

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
