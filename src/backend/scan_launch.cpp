// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/scan_launch.hpp"

#include <algorithm>
#include <bit>

#include "backend/grid.hpp"
#include "core/divide.hpp"
#include "core/error.hpp"
#include "core/layout.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {
namespace {

// Returns the elements of a vector, as scan_items in kernels/scan/scan.cuh does.
int64_t items_of(int source_size, int target_size) {
  return std::min(8, 16 / std::max(source_size, target_size));
}

// Returns whether vectors of `items` elements are aligned wherever they start.
bool has_vectors(const void* data, int64_t step, const Strides& strides, int64_t items,
                 int itemsize) {
  if (reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(items * itemsize) != 0)
    return false;
  return step % items == 0 && std::all_of(strides.begin(), strides.end(),
                                          [&](int64_t stride) { return stride % items == 0; });
}

void set_grid(ScanLaunch& launch, int64_t row_blocks, int64_t tiles) {
  if (row_blocks > kMostBlocks / tiles)
    throw ValueError("accumulate: more elements than a launch has blocks for");
  launch.params.row_blocks = static_cast<uint32_t>(row_blocks);
  launch.params.tiles = static_cast<uint32_t>(tiles);
  launch.grid = static_cast<uint32_t>(row_blocks * tiles);
}

void copy_axes(ScanParams& params, const ScanPlan& plan, int count) {
  require_param_dims(plan.kept);
  params.kept_ndim = count;
  std::copy_n(plan.kept.begin(), count, params.kept_shape);
  std::copy_n(plan.source_strides.begin(), count, params.kept_strides[0]);
  std::copy_n(plan.target_strides.begin(), count, params.kept_strides[1]);
}

// Returns whether a scan by columns fills the device: the kept axis is contiguous, and there are
// enough columns of sufficient length.
bool has_columns(const ScanPlan& plan, int64_t columns_of_block) {
  const int inner = plan.kept.size() - 1;
  if (plan.source == nullptr || inner < 0 || plan.source_strides[inner] != 1 ||
      plan.target_strides[inner] != 1 || plan.source_step == 1 || plan.kept[inner] < kWarp / 2 ||
      plan.length <= kWarp / 2)
    return false;
  const int64_t blocks =
      element_count(plan.kept) / plan.kept[inner] * divide_up(plan.kept[inner], columns_of_block);
  return blocks >= kScanColumnBlocks || plan.length <= kScanBlock / kWarp * kScanColumnRows;
}

void plan_columns(ScanLaunch& launch, const ScanPlan& plan, int64_t columns_of_block) {
  ScanParams& params = launch.params;
  const int inner = plan.kept.size() - 1;
  copy_axes(params, plan, inner);
  params.columns = plan.kept[inner];
  params.rows = element_count(plan.kept) / params.columns;
  params.column_blocks = static_cast<uint32_t>(divide_up(params.columns, columns_of_block));
  params.lanes = 1;
  const int64_t tile = kScanBlock / kWarp * kScanColumnRows;
  set_grid(launch, params.rows * params.column_blocks, divide_up(params.length, tile));
  launch.slots = params.tiles > 1 ? int64_t{launch.grid} * columns_of_block : 0;
}

void plan_rows(ScanLaunch& launch, const ScanPlan& plan, int64_t items) {
  ScanParams& params = launch.params;
  copy_axes(params, plan, plan.kept.size());
  params.rows = element_count(plan.kept);
  params.columns = params.column_blocks = 1;
  const int64_t lanes = divide_up(params.length, items * kScanRounds);
  params.lanes = static_cast<uint32_t>(
      std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(lanes, 1, kScanBlock))));
  const int64_t tiles = divide_up(params.length, items * kScanRounds * params.lanes);
  set_grid(launch, divide_up(params.rows, kScanBlock / params.lanes), tiles);
  launch.slots = tiles > 1 ? params.rows * (tiles + divide_up(tiles, kWarp)) : 0;
}

}  // namespace

ScanLaunch plan_scan(const ScanPlan& plan, int source_size, int target_size) {
  ScanLaunch launch{};
  ScanParams& params = launch.params;
  params.length = plan.length;
  params.source = plan.source;
  params.target = plan.target;
  params.source_step = plan.source_step;
  params.target_step = plan.target_step;
  const int64_t items = items_of(source_size, target_size);
  if (has_columns(plan, kWarp)) {
    Strides source = plan.source_strides, target = plan.target_strides;
    source[source.size() - 1] = target[target.size() - 1] = plan.kept.back();
    const bool vectors = has_vectors(plan.source, plan.source_step, source, items, source_size) &&
                         has_vectors(plan.target, plan.target_step, target, items, target_size);
    if (vectors && has_columns(plan, kWarp * items)) {
      launch.path = ScanPath::columns;
      plan_columns(launch, plan, kWarp * items);
    } else {
      launch.path = ScanPath::single_columns;
      plan_columns(launch, plan, kWarp);
    }
    return launch;
  }
  launch.path = ScanPath::rows;
  if (plan.source != nullptr && plan.source_step == 1 &&
      has_vectors(plan.source, 0, plan.source_strides, items, source_size))
    params.vectors |= 1;
  if (plan.target_step == 1 && has_vectors(plan.target, 0, plan.target_strides, items, target_size))
    params.vectors |= 2;
  plan_rows(launch, plan, items);
  return launch;
}

}  // namespace gpuarray
