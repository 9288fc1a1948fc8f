// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>

#include "backend/host/copy.hpp"
#include "backend/host/row_runner.hpp"
#include "backend/host/threads.hpp"
#include "backend/host/walk.hpp"
#include "core/layout.hpp"

namespace gpuarray::host {
namespace {

// The offsets of a row in both operands, found anew for each row, since what wraps does not move on
// by one stride.
struct RowOffsets {
  int64_t to = 0, from = 0;  // elements

  RowOffsets(const ElementwisePlan& plan, const Dims& wraps, int64_t row) {
    for (int axis = plan.shape.size() - 2; axis >= 0; --axis) {
      const int64_t extent = plan.shape[axis], index = row % extent;
      const int64_t read = index + wraps[axis];
      to += index * plan.strides[0][axis];
      from += (read < extent ? read : read - extent) * plan.strides[1][axis];
      row /= extent;
    }
  }
};

}  // namespace

MappedCopy::MappedCopy(const ElementwisePlan& plan, const IndexMap& map, bool in_order)
    : plan_(plan) {
  static_assert(kFence < kMaxOperands);
  plan_.strides[kWraps] = map.wraps;
  plan_.strides[kFence] = fence_of(plan.shape.size(), {&map.wraps, 1});
  const std::span<Strides> all(plan_.strides, kMaxOperands);
  in_order ? merge_axes(plan_.shape, all) : collapse(plan_.shape, all);
}

void MappedCopy::run(int64_t begin, int64_t end, char* const* data) const {
  const int inner = plan_.shape.size() - 1, item = itemsize(plan_.dtypes[0]);
  const int64_t columns = plan_.shape[inner];
  const Dims& wraps = plan_.strides[kWraps];
  const int64_t seam = columns - wraps[inner];  // from which on a row's elements are its first ones
  const int64_t to_step = plan_.strides[0][inner], from_step = plan_.strides[1][inner];
  while (begin < end) {
    const int64_t row = begin / columns, first = begin % columns;
    const int64_t last = std::min(columns, first + end - begin);
    const RowOffsets offsets(plan_, wraps, row);
    const auto copy = [&](int64_t from_column, int64_t to_column, int64_t moved) {
      if (from_column >= to_column) return;
      copy_elements(data[0] + (offsets.to + from_column * to_step) * item, to_step,
                    data[1] + (offsets.from + (from_column + moved) * from_step) * item, from_step,
                    to_column - from_column, item);
    };
    copy(first, std::min(last, seam), wraps[inner]);
    copy(std::max(first, seam), last, wraps[inner] - columns);
    begin += last - first;
  }
}

void copy_mapped(const ElementwisePlan& plan, const IndexMap& map) {
  const MappedCopy copy(plan, map, false);
  char* const data[] = {static_cast<char*>(plan.data[0]), static_cast<char*>(plan.data[1])};
  parallel_for(plan.size, elements_of_piece(plan.size, 2 * itemsize(plan.dtypes[0])),
               [&](int64_t begin, int64_t end) { copy.run(begin, end, data); });
}

}  // namespace gpuarray::host
