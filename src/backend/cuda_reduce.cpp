// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>

#include "backend/kernel_table.hpp"
#include "backend/visit.hpp"
#include "core/layout.hpp"
#include "kernels/params.hpp"
#include "kernels/reduce_ops.cuh"
#include "kernels/tuning.hpp"
#include "runtime/buffer.hpp"
#include "runtime/device.hpp"

namespace gpuarray {
namespace {

// Bytes of one partial result.
int64_t accumulator_size(Reduction reduction, DType loop) {
  return visit_dtype(loop, [&]<class T>() -> int64_t {
    switch (reduction) {
#define GPUARRAY_REDUCTION(name, ...) \
  case Reduction::name:               \
    return sizeof(typename name##_reducer<T>::accumulator);
#include "kernels/reductions.def"
    }
    return 0;
  });
}

ReduceParams params_of(const ReducePlan& plan) {
  ReduceParams params{};
  params.outputs = element_count(plan.kept);
  params.count = element_count(plan.reduced);
  params.kept_ndim = plan.kept.size();
  params.reduced_ndim = plan.reduced.size();
  std::copy(plan.kept.begin(), plan.kept.end(), params.kept_shape);
  std::copy(plan.kept_strides.begin(), plan.kept_strides.end(), params.kept_strides);
  std::copy(plan.target_strides.begin(), plan.target_strides.end(), params.target_strides);
  std::copy(plan.reduced.begin(), plan.reduced.end(), params.reduced_shape);
  std::copy(plan.reduced_strides.begin(), plan.reduced_strides.end(), params.reduced_strides);
  params.source = plan.source;
  params.target = plan.target;
  return params;
}

// Neighbouring threads should read neighbouring memory.
bool outputs_are_adjacent(const ReducePlan& plan) {
  if (plan.kept.empty() || plan.reduced.empty()) return false;
  return std::abs(plan.kept_strides.back()) < std::abs(plan.reduced_strides.back());
}

// Threads for one output: a whole block for long rows, a warp's width of outputs side by side when
// adjacent.
int choose_lanes(int64_t count, bool adjacent) {
  int most = adjacent ? kReduceBlock / 32 : kReduceBlock;
  int lanes = 1;
  while (lanes < most && lanes < count) lanes *= 2;
  return lanes;
}

void split_into_chunks(ReduceParams& params, int multiprocessors) {
  int64_t groups = kReduceBlock / params.lanes;
  int64_t blocks = (params.outputs + groups - 1) / groups;
  int64_t wanted =
      (int64_t{multiprocessors} * kReduceBlocksPerMultiprocessor + blocks - 1) / blocks;
  int64_t smallest = int64_t{params.lanes} * kReduceItemsPerThread;
  int64_t most = std::max<int64_t>((params.count + smallest - 1) / smallest, 1);
  int64_t chunks = std::clamp<int64_t>(wanted, 1, most);
  params.chunk_size = std::max<int64_t>((params.count + chunks - 1) / chunks, 1);
  params.chunks = std::max<int64_t>((params.count + params.chunk_size - 1) / params.chunk_size, 1);
}

void launch_reduce(KernelHandle kernel, ReduceParams& params, const Stream& stream) {
  int64_t groups = kReduceBlock / params.lanes;
  int64_t blocks = (params.outputs * params.chunks + groups - 1) / groups;
  LaunchShape shape;
  shape.grid[0] = static_cast<uint32_t>(std::min<int64_t>(blocks, 1 << 20));
  shape.block[0] = kReduceBlock;
  void* arguments[] = {&params};
  launch(kernel, shape, arguments, stream);
}

}  // namespace

void cuda_reduce(Reduction reduction, DType loop, const ReducePlan& plan, const StreamPtr& stream) {
  KernelHandle kernel = reduce_kernel(reduction, loop);
  ReduceParams params = params_of(plan);
  params.adjacent_outputs = outputs_are_adjacent(plan);
  params.lanes = choose_lanes(params.count, params.adjacent_outputs);
  split_into_chunks(params, properties(stream->device()).multiprocessors);
  if (params.chunks == 1) return launch_reduce(kernel, params, *stream);
  BufferPtr partials =
      Buffer::allocate(params.outputs * params.chunks * accumulator_size(reduction, loop), stream);
  params.partials = partials->data();
  launch_reduce(kernel, params, *stream);
  params.from_partials = true;
  params.count = params.chunk_size = params.chunks;
  params.chunks = 1;
  params.adjacent_outputs = params.outputs > 1;
  params.lanes = choose_lanes(params.count, params.adjacent_outputs);
  launch_reduce(kernel, params, *stream);
}

}  // namespace gpuarray
