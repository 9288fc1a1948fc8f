// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>

#include "backend/cuda/operations.hpp"
#include "backend/sorting/sort.hpp"
#include "core/divide.hpp"
#include "kernels/sort/sort_params.hpp"
#include "kernels/tuning.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/device/device.hpp"
#include "runtime/stream/device_memory.hpp"

namespace gpuarray {
namespace {

SortKernel runs_kernel(DType dtype) {
  using enum SortKernel;
  if (dtype == DType::complex64) return runs_complex64;
  if (dtype == DType::complex128) return runs_complex128;
  return kernel_for(dtype, runs_8, runs_16, runs_32, runs_64);
}

}  // namespace

void cuda_count_runs(const RunsPlan& plan, const StreamPtr& stream) {
  const int64_t tiles = mask_tiles(plan.size);
  const BufferPtr counts = Buffer::allocate(tiles * int64_t{sizeof(int32_t)}, stream);
  SortRuns params{
      .sorted = plan.sorted,
      .firsts = plan.firsts,
      .flags = plan.found.flags,
      .counts = static_cast<int32_t*>(counts->data()),
      .count = plan.size,
      .kind = key_kind(plan.dtype),
      .infinity = key_infinity(plan.dtype),
      .splits_nan = !plan.equal_nan && (kind(plan.dtype) == 'f' || kind(plan.dtype) == 'c'),
      .vectors = is_aligned(plan.sorted)};
  void* arguments[] = {&params};
  launch(sort_kernel(runs_kernel(plan.dtype), stream->device()), select_launch(plan.size),
         arguments, *stream, {"unique", plan.dtype, Shape{plan.size}});
  sum_tiles(*counts, tiles, plan.found.sums, stream);
}

namespace {

DistinctKeys keys_of(const DistinctPlan& plan) {
  DistinctKeys keys;
  keys.source = plan.source;
  keys.count = plan.count;
  keys.kind = key_kind(plan.dtype);
  keys.infinity = key_infinity(plan.dtype);
  keys.vectors = is_aligned(plan.source);
  keys.lowest = plan.range.lowest;
  keys.highest = plan.highest();
  keys.bits = reinterpret_cast<uint32_t*>(plan.found.flags);
  keys.size = plan.keys();
  keys.sums = plan.found.sums;
  return keys;
}

void run(SortKernel which, const LaunchShape& shape, DistinctKeys& keys, const DistinctPlan& plan,
         const Stream& stream) {
  void* arguments[] = {&keys};
  launch(sort_kernel(which, stream.device()), shape, arguments, stream,
         {"unique", plan.dtype, Shape{plan.count}});
}

// Returns how many tiles of elements there are, of which a block takes one.
int64_t element_tiles(const DistinctPlan& plan) {
  return divide_up(plan.count, int64_t{kSelectBlock} * distinct_loads(itemsize(plan.dtype)));
}

// Returns the launch of a kernel whose warps take kDistinctTiles tiles of bits each.
LaunchShape bits_launch(const DistinctPlan& plan) {
  return select_launch(divide_up(plan.keys(), kDistinctTiles));
}

}  // namespace

bool cuda_may_find_keys(DType dtype, int64_t count) {
  const bool floats = kind(dtype) == 'f';
  if (kind(dtype) == 'c' || (floats && itemsize(dtype) > 4)) return false;
  if (itemsize(dtype) <= 2) return count >= kDistinctFewestShort;
  return count >= (floats ? kDistinctFewestFloats : kDistinctFewest);
}

bool cuda_may_mark_keys(const DistinctPlan& plan) {
  const uint64_t lowest = plan.range.lowest;
  return plan.highest() >= lowest &&  // else all are NaN, or the sampled keys too far apart
         are_keys_near(plan.highest() - lowest, plan.range.scattered, plan.count);
}

void cuda_find_key_range(const DistinctPlan& plan, KeyRange* range, const StreamPtr& stream) {
  using enum SortKernel;
  fill_device(range, 0xff, sizeof(*range), *stream);
  DistinctKeys keys = keys_of(plan);
  keys.range = range;
  run(kernel_for(plan.dtype, sample_8, sample_16, sample_32, sample_64),
      LaunchShape::linear(1, kDistinctSampleBlock), keys, plan, *stream);
  const int64_t most =
      int64_t{properties(stream->device()).multiprocessors} * kDistinctBlocksPerMultiprocessor;
  run(kernel_for(plan.dtype, range_8, range_16, range_32, range_64),
      LaunchShape::linear(std::min(most, element_tiles(plan)), kSelectBlock), keys, plan, *stream);
}

void cuda_mark_keys(const DistinctPlan& plan, const StreamPtr& stream) {
  using enum SortKernel;
  const int64_t tiles = mask_tiles(plan.keys());
  const BufferPtr counts = Buffer::allocate(tiles * int64_t{sizeof(int32_t)}, stream);
  fill_device(plan.found.flags, 0, tiles * kSelectFlags * int64_t{sizeof(uint16_t)}, *stream);
  DistinctKeys keys = keys_of(plan);
  keys.counts = static_cast<int32_t*>(counts->data());
  const SortKernel mark = kernel_for(plan.dtype, mark_8, mark_16, mark_32, mark_64);
  keys.tile_step = element_tiles(plan) / kDistinctFirst;
  run(mark, LaunchShape::linear(kDistinctFirst, kSelectBlock), keys, plan, *stream);
  keys.tile_step = 1;
  run(mark, LaunchShape::linear(element_tiles(plan), kSelectBlock), keys, plan, *stream);
  run(count_keys, bits_launch(plan), keys, plan, *stream);
  sum_tiles(*counts, tiles, plan.found.sums, stream);
}

void cuda_write_keys(const DistinctPlan& plan, int64_t count, void* target,
                     const StreamPtr& stream) {
  using enum SortKernel;
  DistinctKeys keys = keys_of(plan);
  keys.found = count;
  keys.target = target;
  keys.negative_zero = plan.has_negative_zero();
  keys.nan = plan.has_nan() ? plan.range.nan + 1 : 0;
  run(kernel_for(plan.dtype, write_8, write_16, write_32, write_64), bits_launch(plan), keys, plan,
      *stream);
}

}  // namespace gpuarray
