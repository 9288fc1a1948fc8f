// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/index_map.hpp"

#include <algorithm>
#include <cstring>

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

// Returns what the first element of piece k reads.
int64_t first_of(const AxisPieces& pieces, int k) {
  return pieces.pieces[k].source(pieces.begin_of(k));
}

// Whether the pieces are an axis of their own: as long as each other and at even distances.
bool are_even(const AxisPieces& pieces) {
  if (pieces.has_holes()) return false;
  for (int k = 1; k < pieces.count; ++k)
    if (pieces.length_of(k) != pieces.length_of(0) ||
        pieces.pieces[k].step != pieces.pieces[0].step ||
        first_of(pieces, k) - first_of(pieces, k - 1) != first_of(pieces, 1) - first_of(pieces, 0))
      return false;
  return true;
}

// Returns the piece that reads all that the others read, in order, or -1 if none does.
int whole_of(const AxisPieces& pieces) {
  const int whole = static_cast<int>(&pieces.longest() - pieces.pieces);
  const auto reads = [&](int64_t element) {
    const int64_t first = first_of(pieces, whole);
    return first <= element && element < first + pieces.length_of(whole);
  };
  if (pieces.pieces[whole].step != 1 || pieces.has_holes()) return -1;
  for (int k = 0; k < pieces.count; ++k)
    if (!reads(first_of(pieces, k)) || !reads(pieces.pieces[k].source(pieces.pieces[k].end - 1)))
      return -1;
  return whole;
}

// The boxes of a map, which are cut axis by axis.
class Boxes {
 public:
  Boxes(const IndexMap& map, const std::function<void(ElementwisePlan& box)>& run)
      : map_(map), run_(run) {}

  // Runs the boxes of a plan, whose axes before `axis` need no more cuts.
  void visit(const ElementwisePlan& plan, Dims axes, int axis) const {
    while (axis < axes.size() && axes[axis] == 0) ++axis;
    if (axis == axes.size()) {
      ElementwisePlan box = plan;
      box.size = element_count(box.shape);
      return run_(box);
    }
    const AxisPieces& pieces = map_.pieces[static_cast<size_t>(axes[axis] - 1)];
    if (are_even(pieces) && axes.size() < kFewDims) return visit_even(plan, axes, axis, pieces);
    const int whole = whole_of(pieces);
    if (whole >= 0) {
      visit(cut(plan, axis, pieces, whole), axes, axis + 1);
      return copy_rest(plan, axis, pieces, whole);
    }
    for (int k = 0; k < pieces.count; ++k)
      if (pieces.pieces[k].is_hole())
        fill(plan, axis, pieces, k);
      else
        visit(cut(plan, axis, pieces, k), axes, axis + 1);
  }

 private:
  static ElementwisePlan cut(const ElementwisePlan& plan, int axis, const AxisPieces& pieces,
                             int k) {
    ElementwisePlan box = plan;
    box.shape[axis] = pieces.length_of(k);
    move(box, 0, axis, pieces.begin_of(k));
    move(box, 1, axis, first_of(pieces, k));
    box.strides[1][axis] *= pieces.pieces[k].step;
    return box;
  }

  // Fills a hole along the axis.
  void fill(const ElementwisePlan& plan, int axis, const AxisPieces& pieces, int k) const {
    if (!map_.fill) return;
    ElementwisePlan box;
    box.target_shape = plan.target_shape;
    box.shape = plan.shape;
    box.shape[axis] = pieces.length_of(k);
    box.size = element_count(box.shape);
    box.add(plan.dtypes[0], plan.data[0]) = plan.strides[0];
    box.add(*map_.fill) = Strides(box.shape.size(), 0);
    move(box, 0, axis, pieces.begin_of(k));
    run_(box);
  }

  // Makes the axis two: of the pieces and of their elements.
  void visit_even(const ElementwisePlan& plan, Dims axes, int axis,
                  const AxisPieces& pieces) const {
    ElementwisePlan box = cut(plan, axis, pieces, 0);
    const int64_t apart[] = {pieces.length_of(0), first_of(pieces, 1) - first_of(pieces, 0)};
    box.shape.insert(axis, pieces.count);
    for (int k = 0; k < 2; ++k) box.strides[k].insert(axis, apart[k] * plan.strides[k][axis]);
    axes.insert(axis, 0);
    visit(box, axes, axis + 2);
  }

  // Copies the other pieces from what the whole one wrote.
  void copy_rest(const ElementwisePlan& plan, int axis, const AxisPieces& pieces, int whole) const {
    ElementwisePlan rest = plan;
    rest.data[1] = rest.data[0];
    rest.strides[1] = rest.strides[0];
    move(rest, 1, axis, -pieces.pieces[whole].base);
    for (int k = 0; k < pieces.count; ++k) {
      if (k == whole) continue;
      ElementwisePlan box = cut(rest, axis, pieces, k);
      box.size = element_count(box.shape);
      run_(box);
    }
  }

  const IndexMap& map_;
  const std::function<void(ElementwisePlan& box)>& run_;
};

}  // namespace

void AxisPieces::add(int64_t elements, int64_t first, int64_t step) {
  if (elements == 0) return;
  const int64_t begin = begin_of(count);
  const bool is_single = elements == 1;
  if (is_single) step = 1;  // as is any other
  if (count > 0 && !pieces[count - 1].is_hole()) {
    Piece& last = pieces[count - 1];
    const bool was_single = length_of(count - 1) == 1;
    if (was_single && !is_single && last.source(begin - 1) + step == first) {
      last = {begin + elements, first - step * begin, step};
      return;
    }
    if ((is_single || step == last.step) && last.source(begin) == first) {
      last.end = begin + elements;
      return;
    }
  }
  pieces[count++] = {begin + elements, first - step * begin, step};
}

void AxisPieces::add_hole(int64_t elements) {
  if (elements == 0) return;
  const int64_t end = begin_of(count) + elements;
  pieces[count++] = {end, 0, kHole};
}

const AxisPieces::Piece& AxisPieces::longest() const {
  int best = 0;
  for (int k = 1; k < count; ++k)
    if (pieces[best].is_hole() || (!pieces[k].is_hole() && length_of(k) > length_of(best)))
      best = k;
  return pieces[best];
}

bool AxisPieces::has_holes() const {
  return std::any_of(begin(), end(), [](const Piece& piece) { return piece.is_hole(); });
}

int64_t AxisPieces::read_count() const {
  int64_t elements = 0;
  for (int k = 0; k < count; ++k) elements += pieces[k].is_hole() ? 0 : length_of(k);
  return elements;
}

bool IndexMap::operator==(const IndexMap& other) const {
  return name == other.name && axes == other.axes && pieces == other.pieces &&
         fill.has_value() == other.fill.has_value() &&
         (!fill || std::memcmp(fill->bytes, other.fill->bytes, sizeof fill->bytes) == 0);
}

void IndexMap::add_axis(const AxisPieces& of_axis) {
  if (of_axis.count < 2 && !of_axis.has_holes()) return axes.push_back(0);
  pieces.push_back(of_axis);
  axes.push_back(static_cast<int64_t>(pieces.size()));
}

bool IndexMap::is_general() const {
  return std::ranges::any_of(pieces, [](const AxisPieces& of_axis) {
    return of_axis.count > 2 || std::any_of(of_axis.begin(), of_axis.end(),
                                            [](const auto& one) { return one.step != 1; });
  });
}

bool IndexMap::has_holes() const { return std::ranges::any_of(pieces, &AxisPieces::has_holes); }

int IndexMap::boxes(const Shape& shape) const {
  int ndim = shape.size(), factor = 1, count = 0;
  for (int axis = 0; axis < shape.size(); ++axis) {
    const AxisPieces* const pieces_of = of(axis);
    if (pieces_of == nullptr) continue;
    if (are_even(*pieces_of) && ndim < kFewDims) {
      ++ndim;
    } else if (whole_of(*pieces_of) >= 0) {
      count += factor * (pieces_of->count - 1);
    } else {
      const auto holes = std::count_if(pieces_of->begin(), pieces_of->end(),
                                       [](const auto& piece) { return piece.is_hole(); });
      if (fill) count += factor * static_cast<int>(holes);
      factor *= pieces_of->count - static_cast<int>(holes);
    }
  }
  return count + factor;
}

Strides fence_of(int ndim, std::span<const Strides> axes) {
  Strides fence(ndim, 0);
  for (const Strides& each : axes)
    for (int axis = 0; axis < ndim; ++axis)
      if (each[axis] != 0) fence[axis] = 1;
  return fence;
}

void for_each_box(const ElementwisePlan& plan, const IndexMap& map,
                  const std::function<void(ElementwisePlan& box)>& run) {
  Boxes(map, run).visit(plan, map.axes, 0);
}

}  // namespace gpuarray
