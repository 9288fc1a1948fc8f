// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/paths.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "backend/grid.hpp"
#include "core/divide.hpp"
#include "kernels/expression/expression_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray::paths {
namespace {

constexpr int kSharedBytes = 48 << 10;  // bytes that a block has unless its kernel asks for more

uintptr_t address(const Operands& operands, int k) {
  return reinterpret_cast<uintptr_t>(operands.data[k]);
}

int itemsize_of(const Operands& operands, int k) { return itemsize(operands.dtypes[k]); }

// Returns how many elements of the widest dtype 16 bytes hold, as vector_width in
// kernels/element/inputs.cuh.
template <class Plan>
int vector_width(const Plan& plan) {
  int largest = 1;
  for (int k = 0; k < plan.operand_count; ++k)
    largest = std::max(largest, itemsize(plan.dtypes[k]));
  return 16 / largest;
}

bool is_flat(const Operands& operands) {
  if (operands.shape.size() != 1) return operands.shape.empty();
  for (int k = 0; k < operands.count; ++k)
    if (operands.strides[k][0] != 1 && !operands.is_single(k)) return false;
  return true;
}

// Returns whether input k takes shorter steps along `axis` than along the innermost one.
bool is_turned(const Operands& operands, int k, int axis) {
  if (operands.is_written(k) || operands.is_single(k)) return false;
  const Strides& strides = operands.strides[k];
  const int inner = operands.shape.size() - 1;
  return strides[axis] != 0 && std::abs(strides[axis]) < std::abs(strides[inner]);
}

// Returns the axis along which the first input that is turned takes the shortest steps, or -1 if no
// input is turned or a tile is not worth while.
int across_axis(const Operands& operands) {
  const int inner = operands.shape.size() - 1;
  if (operands.shape[inner] < kTile / 2) return -1;
  for (int k = 0; k < operands.count; ++k) {
    const Strides& strides = operands.strides[k];
    int best = -1;
    for (int axis = 0; axis < inner; ++axis) {
      if (operands.shape[axis] < kTile / 2 || !is_turned(operands, k, axis)) continue;
      if (best < 0 || std::abs(strides[axis]) < std::abs(strides[best])) best = axis;
    }
    if (best >= 0) return best;
  }
  return -1;
}

// Returns whether the vectors of operand k along a row all begin at a multiple of their size.
bool has_vectors(const Operands& operands, int k) {
  if (operands.is_single(k)) return true;
  const Strides& strides = operands.strides[k];
  const int inner = operands.shape.size() - 1;
  const auto bytes = static_cast<uintptr_t>(operands.width * itemsize_of(operands, k));
  if (strides[inner] != 1 || address(operands, k) % bytes != 0) return false;
  for (int axis = 0; axis < inner; ++axis)
    if (strides[axis] % operands.width != 0) return false;
  return true;
}

// Returns bit k set for each operand that is accessed by vectors along rows, or 0 if the rows of
// operand 0 do not consist of whole vectors.
uint32_t row_vectors(const Operands& operands) {
  if (operands.width == 1 || operands.shape.back() % operands.width != 0) return 0;
  if (!has_vectors(operands, 0)) return 0;
  uint32_t vectors = 0;
  for (int k = 0; k < operands.count; ++k)
    if (has_vectors(operands, k)) vectors |= 1u << k;
  return vectors;
}

// Returns whether the two innermost axes of operand k are one contiguous row, as a whole aligned.
bool is_merged(const Operands& operands, int k) {
  const int inner = operands.shape.size() - 1;
  if (operands.is_single(k)) return true;
  const Strides& strides = operands.strides[k];
  const auto bytes = static_cast<uintptr_t>(operands.width * itemsize_of(operands, k));
  if (strides[inner] != 1 || strides[inner - 1] != operands.shape[inner]) return false;
  if (address(operands, k) % bytes != 0) return false;
  for (int axis = 0; axis + 1 < inner; ++axis)
    if (strides[axis] % operands.width != 0) return false;
  return true;
}

// Returns whether the offsets of operand k along its two innermost axes fit into 31 bits.
bool is_near(const Operands& operands, int k) {
  const int inner = operands.shape.size() - 1;
  const Strides& strides = operands.strides[k];
  int64_t most = 0;
  for (int axis = inner - 1; axis <= inner; ++axis) {
    if (std::abs(strides[axis]) >= kNarrow) return false;
    most += std::abs(strides[axis]) * operands.shape[axis];
  }
  return most < kNarrow;
}

// Returns whether the merged walk writes whole vectors where the rows walk would not.
bool merges(const Operands& operands) {
  const int inner = operands.shape.size() - 1;
  if (operands.width == 1 || operands.size >= kNarrow || operands.written == 0) return false;
  for (int k = 0; k < operands.count; ++k)
    if (operands.is_written(k) ? !is_merged(operands, k) : !is_near(operands, k)) return false;
  const int64_t merged = operands.shape[inner] * operands.shape[inner - 1];
  return (inner == 1 || merged % operands.width == 0) && row_vectors(operands) == 0;
}

// Returns the base-2 logarithm of the number of tiles along `across` that make a group.
int tile_log_group(const Operands& operands, int across) {
  const int64_t tiles = divide_up(operands.shape[across], kTile);
  return static_cast<int>(
      std::min<int64_t>(kTileLogGroup, std::bit_width(static_cast<uint64_t>(tiles)) - 1));
}

int64_t tile_groups(const Operands& operands, int across) {
  return divide_up(operands.shape[across], int64_t{kTile} << tile_log_group(operands, across));
}

int64_t tile_blocks(const Operands& operands, int across) {
  const int64_t outer = operands.size / operands.shape.back() / operands.shape[across];
  return divide_up(operands.shape.back(), kTile) * outer *
         (tile_groups(operands, across) << tile_log_group(operands, across));
}

// Returns whether a tile of every input that is turned fits into the shared memory that any kernel
// may use.
bool tiles_fit(const Operands& operands, int across) {
  int bytes = 0;
  for (int k = 0; k < operands.count; ++k)
    if (is_turned(operands, k, across)) bytes += itemsize_of(operands, k);
  return bytes * kTile * (kTile + 1) <= kSharedBytes;
}

}  // namespace

bool has_long_rows(const Operands& operands) {
  return !operands.is_operator() && operands.shape.size() > 1 &&
         operands.count <= kLongRowsOperands &&
         operands.shape.back() >= kRowsBlock * kLongRowsElements;
}

AxisExtent axis_extent(int64_t extent) {
  return {extent, Divisor::of(static_cast<uint32_t>(std::min(extent, kNarrow - 1))), 0};
}

Operands operands_of(const ElementwisePlan& plan) {
  uint32_t single = 0;
  for (int k = 1; k < plan.operand_count; ++k)
    if (plan.data[k] == nullptr) single |= 1u << k;
  return {plan.shape,  plan.size, plan.operand_count, vector_width(plan),
          plan.dtypes, plan.data, plan.strides,       1,
          single,      0,         plan.scalars()};
}

Operands operands_of(const Expression& expression, const ExpressionPlan& plan) {
  uint32_t written = 0, single = 0;
  for (int k = 0; k < plan.operand_count; ++k) {
    const auto parameter = static_cast<size_t>(expression.operands()[static_cast<size_t>(k)]);
    const Strides& strides = plan.strides[k];
    if (expression.parameters()[parameter].is_written)
      written |= 1u << k;
    else if (std::all_of(strides.begin(), strides.end(), [](int64_t step) { return step == 0; }))
      single |= 1u << k;
  }
  return {plan.shape,
          plan.size,
          plan.operand_count,
          expression.has_vectors() ? vector_width(plan) : 1,
          plan.dtypes,
          plan.data,
          plan.strides,
          written,
          single,
          plan.fresh,
          nullptr,
          plan.mapped,
          plan.maps};
}

Path choose(const Operands& operands, Kernels kernels) {
  const int ndim = operands.shape.size();
  if (!operands.mapped.empty()) return Path::rows;
  if (is_flat(operands)) return Path::flat;
  if (ndim > kFewDims) return kernels.any ? Path::any : Path::rows;
  if (ndim == 1) return Path::rows;
  const int across = kernels.tile ? across_axis(operands) : -1;
  if (across >= 0 && tiles_fit(operands, across) && tile_blocks(operands, across) < kNarrow)
    return Path::tile;
  if (kernels.merged && !has_long_rows(operands) && merges(operands)) return Path::merged;
  const int64_t rows = operands.size / operands.shape.back();
  const bool narrow = rows < kNarrow - kRowsBlock && operands.size / 32 < kNarrow;
  return narrow || !kernels.any ? Path::rows : Path::any;
}

FlatWalk flat(const Operands& operands) {
  const int64_t width = operands.width;
  FlatWalk walk{{operands.size, 0, 0}, 0};
  if (operands.count > 0) {
    const int64_t item = itemsize_of(operands, 0);
    const int64_t past = static_cast<int64_t>(address(operands, 0) % (width * item)) / item;
    walk.head.head =
        static_cast<int32_t>(std::min<int64_t>(past == 0 ? 0 : width - past, operands.size));
  }
  for (int k = 0; k < operands.count; ++k) {
    const int64_t item = itemsize_of(operands, k);
    const uintptr_t first = address(operands, k) + walk.head.head * item;
    if (first % (width * item) == 0) walk.head.aligned |= 1u << k;
  }
  const int64_t threads = divide_up(std::max<int64_t>(operands.size - walk.head.head, 1), width);
  walk.blocks = divide_up(threads, kFlatBlock);
  return walk;
}

RowsWalk rows(const Operands& operands) {
  RowsHead head{};
  head.size = operands.size;
  head.vectors = row_vectors(operands);
  const int width = head.vectors != 0 ? operands.width : 1;
  head.columns = operands.shape.size() == 1
                     ? std::min<int64_t>(operands.size, int64_t{kRowsBlock} * width)
                     : operands.shape.back();
  head.rows = divide_up(operands.size, head.columns);
  const int64_t along = divide_up(head.columns, width);
  const auto threads = static_cast<uint32_t>(std::min<int64_t>(along, kRowsBlock));
  head.log_width = std::bit_width(std::bit_ceil(threads)) - 1;
  const int64_t row_blocks = divide_up(along, int64_t{1} << head.log_width);
  head.row_blocks = axis_extent(row_blocks);
  const int rows_per_thread =
      operands.count > kRowsFewOperands ? 1 : std::clamp(kRowsElements / width, 1, kRowsMost);
  const int64_t height = int64_t{kRowsBlock >> head.log_width} * rows_per_thread;
  head.blocks = divide_up(head.rows, height) * row_blocks;
  return {head, head.rows >= kNarrow - kRowsBlock || head.blocks >= kNarrow};
}

MergedWalk merged(const Operands& operands) {
  const int inner = operands.shape.size() - 1;
  const auto columns = static_cast<uint32_t>(operands.shape[inner]);
  const auto rows = static_cast<uint32_t>(operands.shape[inner - 1]);
  MergedWalk walk{
      {static_cast<uint32_t>(operands.size), Divisor::of(columns), Divisor::of(columns * rows), 0},
      0,
      0};
  for (int k = 0; k < operands.count; ++k)
    if (is_merged(operands, k)) walk.vectors |= 1u << k;
  const int64_t each = int64_t{merged_vectors(operands.count, operands.width)} * operands.width;
  walk.blocks = divide_up(operands.size, each * kRowsBlock);
  return walk;
}

TileWalk tile(const Operands& operands) {
  const int across = across_axis(operands);
  TileWalk walk{{}, across, 0, tile_blocks(operands, across)};
  walk.head.columns = operands.shape.back();
  walk.head.across = operands.shape[across];
  walk.head.column_tiles = Divisor::of(static_cast<uint32_t>(divide_up(walk.head.columns, kTile)));
  walk.head.log_group = tile_log_group(operands, across);
  walk.head.across_groups = Divisor::of(static_cast<uint32_t>(tile_groups(operands, across)));
  for (int k = 0; k < operands.count; ++k)
    if (is_turned(operands, k, across)) walk.turned |= 1u << k;
  return walk;
}

namespace {

// Returns the bytes of a thread's vectors of the operands that reductions need.
int64_t vector_bytes(const Operands& operands, uint32_t reduced, int width) {
  int64_t bytes = 0;
  for (int k = 0; k < operands.count; ++k)
    if ((reduced >> k & 1) != 0) bytes += itemsize(operands.dtypes[k]) * width;
  return bytes;
}

int64_t lanes_for(int64_t vectors, int64_t rounds) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(divide_up(vectors, rounds))));
}

// How the threads of a block share rows.
struct RowShare {
  int64_t lanes, rounds;
  bool held;
  int64_t staged;  // bytes of shared memory for values

  int64_t block() const { return std::max<int64_t>(lanes, kRowsBlock); }
  int64_t rows() const { return block() / lanes; }
};

// Shares rows out by vectors of `width` elements, where there could be `most` of them, and of so
// many bytes.
RowShare share_rows(int64_t columns, int width, int most, int64_t bytes, int value_bytes) {
  const int64_t vectors = divide_up(columns, width);
  // Without vectors a thread takes as many single elements as a vector has, but at most 4: more
  // make the code long.
  const int64_t scale = std::min(most / width, 4);
  int64_t lanes = std::max(
      lanes_for(std::min(vectors, kWarp), 1),
      std::min<int64_t>(lanes_for(vectors, kReducedRowsVectors * scale), kReducedRowsLanes));
  int64_t rounds = divide_up(vectors, lanes);
  const auto fits = [&] {
    return rounds <= kReducedRowsMostVectors * scale && rounds * bytes <= kReducedRowsHeld;
  };
  while (!fits() && lanes < kReducedRowsMostLanes) rounds = divide_up(vectors, lanes *= 2);
  RowShare share{lanes, rounds, fits(), 0};
  if (!share.held) return {kReducedRowsLanes, kReducedRowsVectors, false, 0};
  if (value_bytes == 0) return share;
  share.staged = share.rows() * staged_row(lanes * rounds * width * value_bytes);
  // Beside the totals of threads and the results of rows: RowTotals.
  const int64_t others = int64_t{kReduceBlock} * kRowTotal + share.rows() * kRowResult;
  share.held = share.staged + others <= kSharedBytes;
  return share;
}

}  // namespace

bool may_hold_rows(int64_t columns, int64_t bytes, int widest, int value_bytes) {
  const int most = 16 / widest;
  return share_rows(columns, 1, most, bytes, value_bytes).held &&
         share_rows(columns, most, most, bytes * most, value_bytes).held;
}

int64_t held_elements(int64_t columns, int widest) {
  const int most = 16 / widest;
  return columns * share_rows(columns, columns % most == 0 ? most : 1, most, 0, 0).rows();
}

ReducedRowsWalk reduced_rows(const Operands& operands, uint32_t reduced, int value_bytes) {
  RowsHead head = rows(operands).head;
  const int width = head.vectors != 0 ? operands.width : 1;
  const auto [lanes, rounds, held, staged] = share_rows(
      head.columns, width, operands.width, vector_bytes(operands, reduced, width), value_bytes);
  const int64_t block = std::max<int64_t>(lanes, kRowsBlock);
  head.blocks = divide_up(head.rows, block / lanes);
  const Variant variant{.path = Path::rows,
                        .dims = operands.shape.size(),
                        .vectors = head.vectors != 0,
                        .wide = head.rows >= kNarrow - kRowsBlock,
                        .lanes = static_cast<int>(lanes),
                        .rounds = static_cast<int>(rounds),
                        .held = held,
                        .staged = static_cast<int>(staged),
                        .vector_operands = head.vectors};
  return {head, variant,
          LaunchShape::linear(std::min(head.blocks, kNarrow - 1), static_cast<int>(block))};
}

}  // namespace gpuarray::paths
