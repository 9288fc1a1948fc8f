// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/walk_parameters.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <type_traits>

#include "core/divide.hpp"
#include "core/error.hpp"
#include "kernels/expression/expression_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray::paths {
namespace {

// Returns whether Parameters write an AxesBlock and its operands without padding.
template <class Head, class Operands, int Dims>
consteval bool axes_match() {
  using Block = AxesBlock<Head, Operands, Dims>;
  using Outer = decltype(Block::outer);
  constexpr int kOuter = at_least_one<Dims - Head::kInnerAxes>;
  constexpr size_t kBegin = sizeof(Head) + sizeof(Operands);
  constexpr size_t kStrides = sizeof(int64_t) + kOuter * sizeof(AxisExtent);
  return offsetof(Block, operands) == sizeof(Head) && offsetof(Block, outer) == kBegin &&
         offsetof(Outer, extents) == sizeof(int64_t) && offsetof(Outer, strides) == kStrides &&
         sizeof(Outer) == kStrides + Operands::kCount * kOuter * sizeof(int64_t) &&
         offsetof(Block, steps) == kBegin + sizeof(Outer);
}
template <class Operands>
consteval bool walks_match() {
  return offsetof(FlatBlock<Operands>, operands) == sizeof(FlatHead) &&
         axes_match<RowsHead, Operands, 2>() && axes_match<TileHead, Operands, 2>() &&
         axes_match<MergedHead, Operands, kFewDims>();
}
static_assert(walks_match<OperatorOperands<2>>() && walks_match<OperatorOperands<3>>());
template <int Operands>
using AnyOperands = ExpressionOperands<Operands, Operands, false, false>;
static_assert(walks_match<AnyOperands<1>>() && walks_match<AnyOperands<4>>());
static_assert(offsetof(AnyOperands<1>, fresh) == sizeof(uint32_t) &&
              offsetof(AnyOperands<1>, data) == sizeof(uint64_t) &&
              sizeof(AnyOperands<0>) == sizeof(uint64_t) + sizeof(void*) &&
              offsetof(OperatorOperands<3>, scalars) == 2 * kMaxItemsize);
static_assert(sizeof(MappedExpression<AnyOperands<3>, 2, 2, false>) ==
              sizeof(RowsExpression<AnyOperands<3>, 2>) + 4 * sizeof(AxisMap<false>));
static_assert(sizeof(MappedExpression<AnyOperands<3>, 2, 2, true>) ==
              sizeof(RowsExpression<AnyOperands<3>, 2>) + 4 * sizeof(AxisMap<true>) +
                  2 * sizeof(MapFill));
static_assert(sizeof(AxisMap<true>) == 48 && sizeof(AxisMap<false>) == 24);
static_assert(kAxisHole == AxisPieces::kHole && sizeof(MapFill) == kMaxItemsize);

[[noreturn]] void throw_too_many() {
  throw ValueError("too many arrays of too many dimensions for one kernel");
}

// Returns whether every input is the same all along the axis.
bool is_repeated(const Operands& operands, int axis) {
  for (int k = 0; k < operands.count; ++k)
    if (!operands.is_written(k) && operands.strides[k][axis] != 0) return false;
  return true;
}

}  // namespace

void Parameters::require_room(size_t bytes) const {
  if (size_ + bytes > kMostBytes) throw_too_many();
}

template <class T>
[[gnu::always_inline]] inline T* Parameters::take(int count) {
  const size_t begin = size_;
  size_ += static_cast<size_t>(count) * sizeof(T);
  if (size_ > kMostBytes) throw_too_many();
  return reinterpret_cast<T*>(bytes_ + begin);
}

template <int fixed>
[[gnu::always_inline]] inline void Parameters::add_operands(const Operands& operands) {
  if constexpr (fixed == 0) {
    *take<uint64_t>(1) = uint64_t{operands.fresh} << 32 | operands.single;
    std::copy_n(operands.data, operands.count, take<void*>(std::max(operands.count, 1)));
  } else {
    auto* const filled = take<OperatorOperands<fixed>>(1);
    for (int k = 0; k < fixed; ++k) {
      filled->data[k] = operands.data[k];
      if (operands.data[k] == nullptr)
        std::copy_n(operands.scalars[k].bytes, kMaxItemsize, filled->scalars[k]);
    }
  }
}

template <int fixed, class Head>
void Parameters::write_axes(const Head& head, const Operands& operands, const Dims& axes) {
  constexpr int kInner = Head::kInnerAxes;
  const int count = fixed > 0 ? fixed : operands.count;
  const int outer = axes.size() - kInner;
  const int most = fixed > 0 ? kFewDims - kInner : std::max(outer, 1);
  size_ = 0;
  *take<Head>(1) = head;
  add_operands<fixed>(operands);
  *take<int64_t>(1) = std::max(outer, 2 - kInner);
  auto* const extents = take<AxisExtent>(most);
  auto* const strides = take<int64_t>(count * most);
  auto* const steps = take<int64_t>(count * kInner);
  for (int i = 1; i < outer; ++i) extents[i] = axis_extent(operands.shape[axes[i]]);
  for (int k = 0; k < count; ++k) strides[k * most] = 0;
  for (int i = 0; i < outer; ++i)
    for (int k = 0; k < count; ++k) strides[k * most + i] = operands.strides[k][axes[i]];
  for (int i = 0; i < kInner; ++i)
    for (int k = 0; k < count; ++k)
      steps[i * count + k] = operands.strides[k][axes[outer + kInner - 1 - i]];
  if constexpr (std::is_same_v<Head, RowsHead>)
    for (int k = 0; k < count && outer == 0; ++k) strides[k * most] = steps[k] * head.columns;
}

// Calls write.template operator()<count>() with the number of an operator's operands, or 0 for an
// expression.
template <class Write>
void visit_count(const Operands& operands, Write&& write) {
  if (!operands.is_operator()) return write.template operator()<0>();
  if (operands.count == 2) return write.template operator()<2>();
  if (operands.count == 3) return write.template operator()<3>();
  write.template operator()<4>();
}

void Parameters::write(const FlatHead& head, const Operands& operands) {
  visit_count(operands, [&]<int fixed> {
    size_ = 0;
    *take<FlatHead>(1) = head;
    add_operands<fixed>(operands);
  });
}

template <class Head>
void Parameters::write(const Head& head, const Operands& operands, const Dims& axes) {
  visit_count(operands, [&]<int fixed> { write_axes<fixed>(head, operands, axes); });
}

template void Parameters::write(const RowsHead&, const Operands&, const Dims&);

void Parameters::add_maps(const Operands& operands, bool general) {
  for (int axis = 0; axis < operands.shape.size(); ++axis)
    for (size_t i = 0; i < operands.mapped.size(); ++i) {
      const AxisPieces* const pieces = operands.pieces(i, axis);
      const int count = pieces == nullptr ? 0 : pieces->count;
      const int64_t stride = operands.strides[operands.mapped[i]][axis];
      AxisMap<true> map{};
      for (int k = 0; k < AxisPieces::kMost; ++k) {
        // The kernel reads three pieces: the last piece of the axis stands for missing ones.
        const AxisPieces::Piece piece =
            count == 0 ? AxisPieces::Piece() : pieces->pieces[std::min(k, count - 1)];
        if (k + 1 < AxisPieces::kMost) map.limits[k] = piece.end;
        map.offsets[k] = piece.base * stride;
        map.steps[k] = static_cast<int8_t>(piece.step);
      }
      if (general)
        *take<AxisMap<true>>(1) = map;
      else
        *take<AxisMap<false>>(1) = {map.limits[0], map.offsets[0], map.offsets[1]};
    }
  for (size_t i = 0; i < operands.mapped.size() && general; ++i)
    *take<MapFill>(1) =
        operands.maps[i]->fill ? std::bit_cast<MapFill>(operands.maps[i]->fill->bytes) : MapFill();
}

Dims axes_of(const Operands& operands, int across) {
  const int inner = operands.shape.size() - 1;
  // An operator's axes that repeat the inputs come last, so that what is read again is still in the
  // cache. An expression may need its elements in order.
  const bool sorts = operands.is_operator() && inner > 1;
  Dims axes;
  for (int axis = 0; axis < inner; ++axis)
    if (axis != across && !(sorts && is_repeated(operands, axis))) axes.push_back(axis);
  for (int axis = 0; axis < inner && sorts; ++axis)
    if (axis != across && is_repeated(operands, axis)) axes.push_back(axis);
  if (across >= 0) axes.push_back(across);
  axes.push_back(inner);
  return axes;
}

namespace {

Launch fill_flat(Parameters& params, const Operands& operands) {
  const FlatWalk walk = flat(operands);
  if (walk.blocks >= kNarrow)
    throw ValueError("a kernel takes at most " + std::to_string((kNarrow - 1) * kFlatBlock) +
                     " elements at once, got " + std::to_string(operands.size));
  params.write(walk.head, operands);
  return {LaunchShape::linear(walk.blocks, kFlatBlock), {Path::flat, 0, operands.width > 1}};
}

Launch fill_long_rows(Parameters& params, const Operands& operands, RowsHead head) {
  const int64_t row_blocks = divide_up(head.columns, int64_t{kRowsBlock} * kLongRowsElements);
  head.row_blocks = axis_extent(row_blocks);
  head.blocks = head.rows * row_blocks;
  Variant variant{.path = Path::rows,
                  .dims = operands.shape.size(),
                  .wide = head.blocks >= kNarrow,
                  .is_long = true};
  for (int k = 0; k < operands.count; ++k)
    if (operands.strides[k].back() == 1) variant.units |= 1u << k;
  params.write(head, operands, axes_of(operands));
  return {LaunchShape::linear(std::min(head.blocks, kNarrow - 1), kRowsBlock), variant};
}

// Returns by how many elements of an operand at most an offset along the axis differs from 0.
int64_t reach_of(const AxisPieces* pieces, int64_t extent) {
  int64_t most = 0;
  for (int k = 0; pieces != nullptr && k < pieces->count; ++k) {
    const AxisPieces::Piece& piece = pieces->pieces[k];
    if (piece.is_hole()) continue;
    most = std::max(most, std::abs(piece.base) + std::abs(piece.step - 1) * extent);
  }
  return extent + most;
}

// Returns whether all offsets, of what is read on all sides of a seam, too, are below 2^31.
bool is_near(const Operands& operands) {
  size_t mapped = 0;
  for (int k = 0; k < operands.count; ++k) {
    const bool has_map = mapped < operands.mapped.size() && operands.mapped[mapped] == k;
    int64_t reach = 0;
    for (int axis = 0; axis < operands.shape.size(); ++axis) {
      const AxisPieces* const pieces = has_map ? operands.pieces(mapped, axis) : nullptr;
      const int64_t step = std::abs(operands.strides[k][axis]);
      const int64_t elements = reach_of(pieces, operands.shape[axis]);
      if (step >= kNarrow || elements >= kNarrow) return false;
      reach += step * elements;
      if (reach >= kNarrow) return false;
    }
    mapped += has_map;
  }
  return true;
}

Launch fill_mapped_rows(Parameters& params, const Operands& operands) {
  const auto [head, wide] = rows(operands);
  Variant variant{.path = Path::rows,
                  .dims = operands.shape.size(),
                  .vectors = (head.vectors & 1) != 0,
                  .wide = wide || !is_near(operands)};
  for (int k = 0; k < operands.count; ++k)
    if (operands.strides[k].back() == 1) variant.units |= 1u << k;
  for (size_t i = 0; i < operands.mapped.size(); ++i) {
    const Dims& axes = operands.map_axes(i);
    const uint32_t bit = 1u << operands.mapped[i];
    if (axes.back() != 0) variant.column_maps |= bit;
    if (std::any_of(axes.begin(), axes.end() - 1, [](int64_t axis) { return axis != 0; }))
      variant.outer_maps |= bit;
    if (operands.maps[i]->has_holes()) variant.hole_maps |= bit;
    variant.general_maps = variant.general_maps || operands.maps[i]->is_general();
  }
  params.write(head, operands, axes_of(operands));
  params.add_maps(operands, variant.general_maps);
  return {LaunchShape::linear(std::min(head.blocks, kNarrow - 1), kRowsBlock), variant};
}

Launch fill_rows(Parameters& params, const Operands& operands) {
  if (!operands.mapped.empty()) return fill_mapped_rows(params, operands);
  const auto [head, wide] = rows(operands);
  if ((head.vectors & 1) == 0 && has_long_rows(operands))
    return fill_long_rows(params, operands, head);
  params.write(head, operands, axes_of(operands));
  return {LaunchShape::linear(std::min(head.blocks, kNarrow - 1), kRowsBlock),
          {Path::rows, std::max(operands.shape.size(), 2), (head.vectors & 1) != 0, wide}};
}

Launch fill_merged(Parameters& params, const Operands& operands) {
  const MergedWalk walk = merged(operands);
  params.write(walk.head, operands, axes_of(operands, operands.shape.size() - 2));
  return {LaunchShape::linear(walk.blocks, kRowsBlock),
          {.path = Path::merged, .dims = operands.shape.size(), .vector_operands = walk.vectors}};
}

Launch fill_tile(Parameters& params, const Operands& operands) {
  const TileWalk walk = tile(operands);
  params.write(walk.head, operands, axes_of(operands, walk.across));
  return {LaunchShape::linear(walk.blocks, kTileBlock),
          {.path = Path::tile, .dims = operands.shape.size(), .turned = walk.turned}};
}

}  // namespace

Launch fill(Parameters& params, const Operands& operands, Path path) {
  switch (path) {
    case Path::flat:
      return fill_flat(params, operands);
    case Path::tile:
      return fill_tile(params, operands);
    case Path::merged:
      return fill_merged(params, operands);
    default:
      return fill_rows(params, operands);
  }
}

}  // namespace gpuarray::paths
