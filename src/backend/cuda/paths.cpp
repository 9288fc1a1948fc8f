// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/paths.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "kernels/tuning.hpp"

namespace gpuarray::paths {
namespace {

constexpr int64_t kNarrow = int64_t{1} << 31;  // what 32-bit positions and block numbers hold

constexpr int kSharedBytes = 48 << 10;  // of a block, without asking for more

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

bool is_scalar(const ElementwisePlan& plan, int k) { return plan.data[k] == nullptr; }

// 16 bytes of the widest dtype, in elements: vector_width of kernels/element/inputs.cuh.
int vector_width(const ElementwisePlan& plan) {
  int largest = 1;
  for (int k = 0; k < plan.operand_count; ++k)
    largest = std::max(largest, itemsize(plan.dtypes[k]));
  return 16 / largest;
}

bool is_flat(const ElementwisePlan& plan) {
  if (plan.shape.size() != 1) return plan.shape.empty();
  for (int k = 0; k < plan.operand_count; ++k)
    if (!is_scalar(plan, k) && plan.strides[k][0] != 1) return false;
  return true;
}

// Whether operand k is walked faster along `axis` than along the innermost one, and both are long.
bool is_turned(const ElementwisePlan& plan, int k, int axis) {
  const Strides& strides = plan.strides[k];
  const int inner = plan.shape.size() - 1;
  return !is_scalar(plan, k) && strides[axis] != 0 &&
         std::abs(strides[axis]) < std::abs(strides[inner]);
}

// The axis along which most reads are turned; -1 without one worth a tile.
int across_axis(const ElementwisePlan& plan) {
  const int inner = plan.shape.size() - 1;
  if (plan.shape[inner] < kTile / 2) return -1;
  for (int k = 1; k < plan.operand_count; ++k) {
    int best = -1;
    for (int axis = 0; axis < inner; ++axis) {
      if (plan.shape[axis] < kTile / 2 || !is_turned(plan, k, axis)) continue;
      if (best < 0 || std::abs(plan.strides[k][axis]) < std::abs(plan.strides[k][best]))
        best = axis;
    }
    if (best >= 0) return best;
  }
  return -1;
}

template <int Operands>
void fill_operands(void* (&data)[Operands], unsigned char (&scalars)[Operands][16],
                   const ElementwisePlan& plan) {
  for (int k = 0; k < Operands; ++k) {
    data[k] = plan.data[k];
    if (is_scalar(plan, k)) std::copy_n(plan.scalar(k), kMaxItemsize, scalars[k]);
  }
}

// The axes of the plan but for the innermost and `skipped`.
template <int Operands>
int64_t fill_outer(OuterAxes<Operands>& outer, const ElementwisePlan& plan, int skipped) {
  outer.ndim = 0;
  int64_t count = 1;
  for (int k = 0; k < Operands; ++k) outer.strides[k][0] = 0;
  for (int axis = 0; axis < plan.shape.size() - 1; ++axis) {
    if (axis == skipped) continue;
    const int at = outer.ndim++;
    outer.extents[at] = Divisor::of(static_cast<uint32_t>(std::min(plan.shape[axis], kNarrow - 1)));
    for (int k = 0; k < Operands; ++k) outer.strides[k][at] = plan.strides[k][axis];
    count *= plan.shape[axis];
  }
  return count;
}

// Whether operand k's vectors along a row all begin at a multiple of their size.
bool has_vectors(const ElementwisePlan& plan, int k, int width) {
  if (is_scalar(plan, k)) return true;
  const int inner = plan.shape.size() - 1;
  const int64_t bytes = int64_t{width} * itemsize(plan.dtypes[k]);
  if (plan.strides[k][inner] != 1 || reinterpret_cast<uintptr_t>(plan.data[k]) % bytes != 0)
    return false;
  for (int axis = 0; axis < inner; ++axis)
    if (plan.strides[k][axis] % width != 0) return false;
  return true;
}

int64_t tile_outer_count(const ElementwisePlan& plan, int across) {
  int64_t count = 1;
  for (int axis = 0; axis < plan.shape.size() - 1; ++axis)
    if (axis != across) count *= plan.shape[axis];
  return count;
}

// Tiles along `across` that make a group, as a power of two; no more than there are.
int tile_log_group(const ElementwisePlan& plan, int across) {
  const int64_t tiles = divide_up(plan.shape[across], kTile);
  return static_cast<int>(
      std::min<int64_t>(kTileLogGroup, std::bit_width(static_cast<uint64_t>(tiles)) - 1));
}

int64_t tile_groups(const ElementwisePlan& plan, int across) {
  return divide_up(plan.shape[across], int64_t{kTile} << tile_log_group(plan, across));
}

int64_t tile_blocks(const ElementwisePlan& plan, int across) {
  return divide_up(plan.shape.back(), kTile) * tile_outer_count(plan, across) *
         (tile_groups(plan, across) << tile_log_group(plan, across));
}

// Whether a tile of every input fits into the shared memory that any kernel may use.
bool tiles_fit(const ElementwisePlan& plan) {
  int bytes = 0;
  for (int k = 1; k < plan.operand_count; ++k) bytes += itemsize(plan.dtypes[k]);
  return bytes * kTile * (kTile + 1) <= kSharedBytes;
}

}  // namespace

Path choose(const ElementwisePlan& plan) {
  const int ndim = plan.shape.size();
  if (is_flat(plan)) return Path::flat;
  if (ndim > kFewDims) return Path::any;
  if (ndim == 1) return Path::rows;
  const int across = across_axis(plan);
  if (across >= 0 && tiles_fit(plan) && tile_blocks(plan, across) < kNarrow) return Path::tile;
  const int64_t rows = plan.size / plan.shape.back();
  const bool narrow = rows < kNarrow - kRowsBlock && plan.size / 32 < kNarrow;
  return narrow ? Path::rows : Path::any;
}

template <int Operands>
LaunchShape fill(FlatParams<Operands>& params, const ElementwisePlan& plan) {
  const int width = vector_width(plan);
  const int64_t target_bytes = int64_t{width} * itemsize(plan.dtypes[0]);
  const auto address = reinterpret_cast<uintptr_t>(plan.data[0]);
  const int64_t past = static_cast<int64_t>(address % target_bytes) / itemsize(plan.dtypes[0]);
  params.size = plan.size;
  params.head = static_cast<int32_t>(std::min<int64_t>(past == 0 ? 0 : width - past, plan.size));
  params.aligned = 0;
  for (int k = 0; k < Operands; ++k) {
    const int64_t bytes = int64_t{width} * itemsize(plan.dtypes[k]);
    const auto first = reinterpret_cast<uintptr_t>(plan.data[k]) +
                       static_cast<uintptr_t>(params.head) * itemsize(plan.dtypes[k]);
    if (first % bytes == 0) params.aligned |= 1u << k;
  }
  fill_operands(params.data, params.scalars, plan);
  const int64_t threads = divide_up(std::max<int64_t>(plan.size - params.head, 1), width);
  return LaunchShape::linear(divide_up(threads, kFlatBlock), kFlatBlock);
}

template <int Operands>
LaunchShape fill(RowsParams<Operands>& params, const ElementwisePlan& plan) {
  const int inner = plan.shape.size() - 1;
  int width = vector_width(plan);
  params.size = plan.size;
  params.vectors = 0;
  for (int k = 0; k < Operands; ++k)
    if (has_vectors(plan, k, width)) params.vectors |= 1u << k;
  // Without whole vectors of the target, element by element.
  if (width == 1 || plan.shape[inner] % width != 0) params.vectors &= ~1u;
  if ((params.vectors & 1) == 0) width = 1;
  for (int k = 0; k < Operands; ++k) params.steps[k] = plan.strides[k][inner];
  if (inner == 0) {
    // One long row is cut into rows of a block's width; the last may be shorter.
    params.columns = std::min<int64_t>(plan.size, int64_t{kRowsBlock} * width);
    params.rows = static_cast<uint32_t>(divide_up(plan.size, params.columns));
    params.outer.ndim = 1;
    for (int k = 0; k < Operands; ++k)
      params.outer.strides[k][0] = params.steps[k] * params.columns;
  } else {
    params.columns = plan.shape[inner];
    params.rows = static_cast<uint32_t>(fill_outer(params.outer, plan, -1));
  }
  const int64_t along = divide_up(params.columns, width);
  const auto threads = static_cast<uint32_t>(std::min<int64_t>(along, kRowsBlock));
  params.log_width = std::bit_width(std::bit_ceil(threads)) - 1;
  const int64_t row_blocks = divide_up(along, int64_t{1} << params.log_width);
  params.row_blocks = Divisor::of(static_cast<uint32_t>(row_blocks));
  const int rows_per_thread = std::clamp(kRowsElements / width, 1, kRowsMost);
  const int64_t height = int64_t{kRowsBlock >> params.log_width} * rows_per_thread;
  fill_operands(params.data, params.scalars, plan);
  return LaunchShape::linear(divide_up(params.rows, height) * row_blocks, kRowsBlock);
}

template <int Operands>
LaunchShape fill(TileParams<Operands>& params, const ElementwisePlan& plan) {
  const int inner = plan.shape.size() - 1;
  const int across = across_axis(plan);
  params.columns = plan.shape[inner];
  params.across = plan.shape[across];
  params.turned = 0;
  for (int k = 0; k < Operands; ++k) {
    if (k > 0 && is_turned(plan, k, across)) params.turned |= 1u << k;
    params.steps[k] = plan.strides[k][inner];
    params.across_steps[k] = plan.strides[k][across];
  }
  params.column_tiles = Divisor::of(static_cast<uint32_t>(divide_up(params.columns, kTile)));
  params.log_group = tile_log_group(plan, across);
  params.across_groups = Divisor::of(static_cast<uint32_t>(tile_groups(plan, across)));
  fill_outer(params.outer, plan, across);
  fill_operands(params.data, params.scalars, plan);
  return LaunchShape::linear(tile_blocks(plan, across), kTileBlock);
}

#define GPUARRAY_PATHS(operands)                                                        \
  template LaunchShape fill(FlatParams<operands>& params, const ElementwisePlan& plan); \
  template LaunchShape fill(RowsParams<operands>& params, const ElementwisePlan& plan); \
  template LaunchShape fill(TileParams<operands>& params, const ElementwisePlan& plan);
GPUARRAY_PATHS(2)
GPUARRAY_PATHS(3)
GPUARRAY_PATHS(4)

}  // namespace gpuarray::paths
