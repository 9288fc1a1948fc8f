// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/reduce_launch.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "backend/grid.hpp"
#include "core/divide.hpp"
#include "core/layout.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {
namespace {

uint32_t power_of_two(int64_t least, int64_t most) {
  return static_cast<uint32_t>(
      std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(least, 1, most))));
}

// Returns the elements of one load on this path (RowPack and ColumnPack of
// kernels/reduce/reduce_runs.cuh).
int64_t pack_size(ReducePath path, int itemsize) {
  if (path == ReducePath::rows) return 16 / itemsize;
  if (path == ReducePath::columns) return itemsize < 4 ? 4 : 16 / itemsize;
  return 1;
}

bool all_multiples(const Strides& strides, int size, int64_t of) {
  return std::all_of(strides.begin(), strides.begin() + size,
                     [&](int64_t stride) { return stride % of == 0; });
}

bool has_columns(const ReducePlan& plan, int itemsize) {
  const int inner = plan.kept.size() - 1;
  if (inner < 0 || plan.kept_strides[inner] != 1) return false;
  const int64_t pack = pack_size(ReducePath::columns, itemsize);
  return plan.kept[inner] % pack == 0 && all_multiples(plan.kept_strides, inner, pack) &&
         all_multiples(plan.reduced_strides, plan.reduced.size(), pack) &&
         reinterpret_cast<uintptr_t>(plan.source) % static_cast<uintptr_t>(pack * itemsize) == 0;
}

ReducePath choose_path(const ReducePlan& plan, int itemsize) {
  if (plan.source == nullptr) return ReducePath::general;
  if (plan.reduced_strides.back() == 1) return ReducePath::rows;
  return has_columns(plan, itemsize) ? ReducePath::columns : ReducePath::general;
}

// Returns how many units, up to a warp's width, have elements side by side, so that neighbouring
// threads read neighbouring memory.
int64_t neighbours(const ReducePlan& plan, ReducePath path, int64_t pack) {
  if (plan.kept.empty() || path == ReducePath::rows) return 1;
  if (std::abs(plan.kept_strides.back()) >= std::abs(plan.reduced_strides.back())) return 1;
  return std::min(plan.kept.back() / pack, kWarp);
}

// Returns how many of the loads of an output a thread makes, if there are outputs enough.
int64_t loads_per_lane(ReducePath path, int64_t loads, bool spread) {
  if (spread) return kReduceSpreadLoadsPerLane;
  if (path != ReducePath::rows) return kReduceLoadsPerLane;
  return std::clamp(loads / kReduceRowLanes, kReduceLeastRowLoads, kReduceMostRowLoads);
}

// Makes as many chunks as fill the device, provided that each has enough work, and none so long
// that a thread walks more than kReduceLongestWalk elements. A load takes `load` elements along the
// reduced axes.
void split_into_chunks(ReduceParams& params, int64_t load, int64_t resident_blocks) {
  const int64_t wanted = resident_blocks / int64_t{params.unit_blocks};
  const int64_t count = std::max<int64_t>(params.count, 1);
  const int64_t smallest = params.lanes * kReduceLoadsPerChunk * load;
  int64_t chunks = std::clamp<int64_t>(wanted, 1, divide_up(count, smallest));
  if (params.outputs * count <= kReduceOneLaunch) chunks = 1;
  const int64_t longest = int64_t{params.lanes} * kReduceLongestWalk;
  // A chunk is a multiple of a cache line, so that the chunks of an aligned row are aligned.
  const int64_t step = load > 1 ? 8 * load : 1;
  params.chunk_size = std::min(divide_up(divide_up(count, chunks), step) * step, longest);
  params.chunks = static_cast<uint32_t>(divide_up(count, params.chunk_size));
}

void place_threads(ReduceLaunch& launch, int64_t wanted_lanes, int64_t adjacent) {
  ReduceParams& params = launch.params;
  params.adjacent = power_of_two(adjacent, kWarp);
  params.lanes = power_of_two(wanted_lanes, kReduceBlock / params.adjacent);
  while (params.units / (kReduceBlock / params.lanes) >= kMostBlocks) params.lanes /= 2;
  launch.block = kReduceBlock;
  params.unit_blocks =
      static_cast<uint32_t>(divide_up(params.units, int64_t{kReduceBlock / params.lanes}));
}

void copy_axes(ReduceParams& params, const ReducePlan& plan) {
  require_param_dims(plan.kept);
  require_param_dims(plan.reduced);
  params.kept_ndim = plan.kept.size();
  params.reduced_ndim = plan.reduced.size();
  std::copy(plan.kept.begin(), plan.kept.end(), params.kept_shape);
  std::copy(plan.kept_strides.begin(), plan.kept_strides.end(), params.kept_strides);
  std::copy(plan.target_strides.begin(), plan.target_strides.end(), params.target_strides);
  std::copy(plan.reduced.begin(), plan.reduced.end(), params.reduced_shape);
  std::copy(plan.reduced_strides.begin(), plan.reduced_strides.end(), params.reduced_strides);
  params.source = plan.source;
  params.target = plan.target;
  params.partials = nullptr;
  params.average = {plan.divisor, plan.root, plan.correction};
}

}  // namespace

ReduceLaunch plan_reduction(const ReducePlan& plan, int itemsize, int multiprocessors,
                            bool spread) {
  if (plan.reduced.empty()) {  // reduces over an axis of one element instead of none
    ReducePlan with_axis = plan;
    with_axis.reduced.push_back(1);
    with_axis.reduced_strides.push_back(1);
    return plan_reduction(with_axis, itemsize, multiprocessors, spread);
  }
  ReduceLaunch launch;
  ReduceParams& params = launch.params;
  copy_axes(params, plan);
  params.path = choose_path(plan, itemsize);
  const int64_t pack = pack_size(params.path, itemsize);
  params.outputs = element_count(plan.kept);
  params.count = element_count(plan.reduced);
  params.run = std::max<int64_t>(plan.reduced.back(), 1);
  params.units = params.path == ReducePath::columns ? params.outputs / pack : params.outputs;

  const int64_t adjacent = neighbours(plan, params.path, pack);
  const int64_t load = params.path == ReducePath::rows ? pack : 1;
  // A thread does several loads if there are enough units to fill the device; otherwise there are
  // as many threads as loads.
  const int64_t threads = int64_t{multiprocessors} * kReduceBlocksPerMultiprocessor * kReduceBlock;
  const int64_t loads = divide_up(params.count, load);
  const int64_t to_fill = divide_up(threads, params.units);
  const int64_t each = loads_per_lane(params.path, loads, spread);
  const int64_t lanes = std::max(divide_up(loads, each), std::min(loads, to_fill));
  place_threads(launch, lanes, adjacent);
  // If there are several runs, as many are read at once as leave each thread its loads in flight.
  const bool several = params.path == ReducePath::rows && plan.reduced.size() > 1;
  const int64_t across = divide_up(params.run, several ? load * kReduceInFlight : load);
  params.span = std::min(params.lanes, power_of_two(across, kReduceBlock));
  const int resident = spread ? kReduceWideResidentBlocks : kReduceResidentBlocks;
  split_into_chunks(params, load, int64_t{multiprocessors} * resident);
  launch.grid = params.unit_blocks * params.chunks;
  return launch;
}

std::optional<ShortRowsLaunch> plan_short_rows(const ReduceLaunch& launch, int itemsize) {
  const ReduceParams& from = launch.params;
  if (from.lanes != 1 || from.path != ReducePath::rows || from.count < 2 ||
      from.count > kShortRowsLength || from.outputs * from.count < kShortRowsFewest)
    return std::nullopt;
  const bool follow = from.kept_ndim == 1 && from.kept_strides[0] == from.count &&
                      from.target_strides[0] == 1 && from.reduced_ndim == 1;
  const int64_t row_bytes = from.count * itemsize;
  if (!follow || row_bytes > kShortRowsBytes) return std::nullopt;
  const bool is_aligned = reinterpret_cast<uintptr_t>(from.source) % 16 == 0;
  int64_t tile_rows = kShortRowsTile / row_bytes;
  tile_rows -= tile_rows % (tile_rows < kShortRowsBlock ? kWarp : kShortRowsBlock);
  ShortRowsLaunch made;
  made.params = {from.outputs,
                 static_cast<uint32_t>(from.count),
                 static_cast<uint32_t>(tile_rows),
                 from.source,
                 from.target,
                 from.average};
  made.grid = static_cast<uint32_t>(divide_up(from.outputs, tile_rows));
  made.is_aligned = is_aligned;
  return made;
}

ReduceLaunch plan_finish(const ReduceLaunch& first) {
  ReduceLaunch launch = first;
  ReduceParams& params = launch.params;
  params.path = ReducePath::partials;
  params.units = params.outputs;
  params.count = params.chunk_size = params.chunks;
  params.chunks = 1;
  place_threads(launch, params.count, std::min(params.outputs, kWarp));
  params.span = params.lanes;
  launch.grid = params.unit_blocks;
  return launch;
}

}  // namespace gpuarray
