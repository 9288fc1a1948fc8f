// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>

#include "backend/host/copy.hpp"
#include "backend/host/row_runner.hpp"
#include "backend/host/threads.hpp"
#include "core/layout.hpp"

namespace gpuarray::host {
namespace {

// Stands at the begin of a row, of both operands. What wraps along an axis is back where it began
// after all of the axis.
class MappedRow {
 public:
  MappedRow(const ElementwisePlan& plan, const Dims& wraps, int64_t row)
      : plan_(plan), index_(wraps.size(), 0), read_(wraps.size(), 0) {
    for (int axis = plan.shape.size() - 2; axis >= 0; --axis) {
      const int64_t extent = plan.shape[axis];
      index_[axis] = row % extent;
      read_[axis] = (index_[axis] + wraps[axis]) % extent;
      to_ += index_[axis] * plan.strides[0][axis];
      from_ += read_[axis] * plan.strides[1][axis];
      row /= extent;
    }
  }
  int64_t to() const { return to_; }  // elements
  int64_t from() const { return from_; }
  void next() {
    for (int axis = plan_.shape.size() - 2; axis >= 0; --axis) {
      const int64_t extent = plan_.shape[axis];
      from_ += plan_.strides[1][axis];
      if (++read_[axis] == extent) {
        read_[axis] = 0;
        from_ -= extent * plan_.strides[1][axis];
      }
      to_ += plan_.strides[0][axis];
      if (++index_[axis] < extent) return;
      index_[axis] = 0;
      to_ -= extent * plan_.strides[0][axis];
    }
  }

 private:
  const ElementwisePlan& plan_;
  Dims index_, read_;
  int64_t to_ = 0, from_ = 0;
};

}  // namespace

MappedCopy::MappedCopy(const ElementwisePlan& plan, const IndexMap& map) : plan_(plan) {
  static_assert(kFence < kMaxOperands);
  plan_.strides[kWraps] = map.wraps;
  plan_.strides[kFence] = fence_of(plan.shape.size(), {&map.wraps, 1});
  merge_axes(plan_.shape, std::span(plan_.strides, kMaxOperands));
  // Whole rows that wrap together are one row, whose elements do.
  Dims& wraps = plan_.strides[kWraps];
  const int inner = plan_.shape.size() - 1;
  if (inner == 0 || wraps[inner] != 0) return;
  for (int k = 0; k < 2; ++k)
    if (plan_.strides[k][inner - 1] != plan_.strides[k][inner] * plan_.shape[inner]) return;
  wraps[inner] = wraps[inner - 1] * plan_.shape[inner];
  plan_.shape[inner] *= plan_.shape[inner - 1];
  plan_.shape.erase(inner - 1);
  for (int k = 0; k <= kWraps; ++k) plan_.strides[k].erase(inner - 1);
}

void MappedCopy::run(int64_t begin, int64_t end, char* const* data) const {
  const int inner = plan_.shape.size() - 1, item = itemsize(plan_.dtypes[0]);
  const int64_t columns = plan_.shape[inner], wrap = plan_.strides[kWraps][inner];
  const int64_t seam = columns - wrap;  // from which on a row has its first elements
  const int64_t to_step = plan_.strides[0][inner], from_step = plan_.strides[1][inner];
  MappedRow row(plan_, plan_.strides[kWraps], begin / columns);
  for (int64_t first = begin % columns; begin < end; first = 0, row.next()) {
    const int64_t last = std::min(columns, first + end - begin);
    const auto copy = [&](int64_t from, int64_t to, int64_t moved) {
      if (from < to)
        copy_elements(data[0] + (row.to() + from * to_step) * item, to_step,
                      data[1] + (row.from() + (from + moved) * from_step) * item, from_step,
                      to - from, item);
    };
    copy(first, std::min(last, seam), wrap);
    copy(std::max(first, seam), last, wrap - columns);
    begin += last - first;
  }
}

void copy_mapped(const ElementwisePlan& plan, const IndexMap& map) {
  const MappedCopy copy(plan, map);
  char* const data[] = {static_cast<char*>(plan.data[0]), static_cast<char*>(plan.data[1])};
  parallel_for(plan.size, elements_of_piece(plan.size, 2 * itemsize(plan.dtypes[0])),
               [&](int64_t begin, int64_t end) { copy.run(begin, end, data); });
}

}  // namespace gpuarray::host
