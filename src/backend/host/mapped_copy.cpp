// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <vector>

#include "backend/host/copy.hpp"
#include "backend/host/row_runner.hpp"
#include "backend/host/threads.hpp"
#include "core/layout.hpp"

namespace gpuarray::host {
namespace {

// Stands at the begin of a row, of both operands.
class MappedRow {
 public:
  // `axes` has the numbers of the pieces of each axis, as IndexMap.
  MappedRow(const ElementwisePlan& plan, const Dims& axes, const std::vector<AxisPieces>& pieces,
            int64_t row)
      : plan_(plan), axes_(axes), pieces_(pieces) {
    const int outer = axes.size() - 1;
    index_ = offsets_ = steps_ = ends_ = in_hole_ = Dims(outer, 0);
    for (int axis = outer - 1; axis >= 0; --axis) {
      const int64_t extent = plan.shape[axis];
      index_[axis] = row % extent;
      to_ += index_[axis] * plan.strides[0][axis];
      row /= extent;
      find_piece(axis);
    }
  }
  int64_t to() const { return to_; }  // elements
  int64_t from() const { return from_; }
  bool is_in_hole() const { return holes_ > 0; }
  void next() {
    for (int axis = index_.size() - 1; axis >= 0; --axis) {
      to_ += plan_.strides[0][axis];
      if (++index_[axis] < ends_[axis]) {
        offsets_[axis] += steps_[axis];
        from_ += steps_[axis];
        return;
      }
      const bool goes_on = index_[axis] < plan_.shape[axis];
      if (!goes_on) {
        index_[axis] = 0;
        to_ -= plan_.shape[axis] * plan_.strides[0][axis];
      }
      find_piece(axis);
      if (goes_on) return;
    }
  }

 private:
  // Goes to the piece that the index of the axis is in.
  void find_piece(int axis) {
    const AxisPieces::Piece whole{plan_.shape[axis]};
    const AxisPieces::Piece* piece = &whole;
    if (axes_[axis] != 0) piece = pieces_[static_cast<size_t>(axes_[axis] - 1)].begin();
    while (index_[axis] >= piece->end) ++piece;
    const int64_t stride = plan_.strides[1][axis], is_hole = piece->is_hole();
    from_ -= offsets_[axis];
    offsets_[axis] = is_hole != 0 ? 0 : piece->source(index_[axis]) * stride;
    from_ += offsets_[axis];
    steps_[axis] = is_hole != 0 ? 0 : piece->step * stride;
    ends_[axis] = piece->end;
    holes_ += is_hole - in_hole_[axis];
    in_hole_[axis] = is_hole;
  }

  const ElementwisePlan& plan_;
  const Dims& axes_;
  const std::vector<AxisPieces>& pieces_;
  // Along each outer axis: the offset and step of the operand's elements, the end of the piece, and
  // whether that is a hole.
  Dims index_, offsets_, steps_, ends_, in_hole_;
  int64_t to_ = 0, from_ = 0, holes_ = 0;
};

}  // namespace

MappedCopy::MappedCopy(const ElementwisePlan& plan, const IndexMap& map)
    : plan_(plan), pieces_(map.pieces), fill_(map.fill) {
  static_assert(kFence < kMaxOperands);
  plan_.strides[kAxes] = map.axes;
  plan_.strides[kFence] = fence_of(plan.shape.size(), {&map.axes, 1});
  merge_axes(plan_.shape, std::span(plan_.strides, kMaxOperands));
  // Whole rows that are pieces together are one row, whose elements are.
  Dims& axes = plan_.strides[kAxes];
  const int inner = plan_.shape.size() - 1;
  if (inner == 0 || axes[inner] != 0) return;
  const int64_t columns = plan_.shape[inner];
  for (int k = 0; k < 2; ++k)
    if (plan_.strides[k][inner - 1] != plan_.strides[k][inner] * columns) return;
  AxisPieces& rows = pieces_[static_cast<size_t>(axes[inner - 1] - 1)];
  if (std::any_of(rows.begin(), rows.end(), [](const auto& piece) { return piece.step != 1; }))
    return;
  for (int k = 0; k < rows.count; ++k) {
    rows.pieces[k].end *= columns;
    rows.pieces[k].base *= columns;
  }
  plan_.shape[inner] *= plan_.shape[inner - 1];
  plan_.shape.erase(inner - 1);
  axes.erase(inner);
  for (int k = 0; k < 2; ++k) plan_.strides[k].erase(inner - 1);
}

void MappedCopy::run(int64_t begin, int64_t end, char* const* data) const {
  const Dims& axes = plan_.strides[kAxes];
  const int inner = plan_.shape.size() - 1, item = itemsize(plan_.dtypes[0]);
  const int64_t columns = plan_.shape[inner];
  AxisPieces pieces;
  if (axes[inner] == 0)
    pieces.add(columns, 0, 1);
  else
    pieces = pieces_[static_cast<size_t>(axes[inner] - 1)];
  const int64_t to_step = plan_.strides[0][inner], from_step = plan_.strides[1][inner];
  MappedRow row(plan_, axes, pieces_, begin / columns);
  for (int64_t first = begin % columns; begin < end; first = 0, row.next()) {
    const int64_t last = std::min(columns, first + end - begin);
    begin += last - first;
    for (const AxisPieces::Piece& piece : pieces) {
      const int64_t stop = std::min(last, piece.end);
      if (first >= stop) continue;
      char* const to = data[0] + (row.to() + first * to_step) * item;
      if (!row.is_in_hole() && !piece.is_hole())
        copy_elements(to, to_step, data[1] + (row.from() + piece.source(first) * from_step) * item,
                      piece.step * from_step, stop - first, item);
      else if (fill_)
        copy_elements(to, to_step, reinterpret_cast<const char*>(fill_->bytes), 0, stop - first,
                      item);
      first = stop;
    }
  }
}

void copy_mapped(const ElementwisePlan& plan, const IndexMap& map) {
  const MappedCopy copy(plan, map);
  char* const data[] = {static_cast<char*>(plan.data[0]), static_cast<char*>(plan.data[1])};
  parallel_for(plan.size, elements_of_piece(plan.size, 2 * itemsize(plan.dtypes[0])),
               [&](int64_t begin, int64_t end) { copy.run(begin, end, data); });
}

}  // namespace gpuarray::host
