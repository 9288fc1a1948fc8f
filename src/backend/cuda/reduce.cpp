// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/kernel_table.hpp"
#include "backend/reduce_launch.hpp"
#include "backend/visit.hpp"
#include "kernels/reduce/reduce_ops.cuh"
#include "runtime/buffer/buffer.hpp"
#include "runtime/device/device.hpp"

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

void launch_once(KernelHandle kernel, ReduceLaunch& reduction, void* constants,
                 const Stream& stream, const LaunchLabel& label) {
  LaunchShape shape;
  shape.grid[0] = reduction.grid;
  shape.block[0] = reduction.block;
  void* arguments[] = {&reduction.params, constants};
  launch(kernel, shape, arguments, stream, label);
}

}  // namespace

void launch_reduction(KernelHandle kernel, ReduceLaunch first, int64_t accumulator_size,
                      void* constants, const StreamPtr& stream, const LaunchLabel& label) {
  if (first.params.chunks == 1) return launch_once(kernel, first, constants, *stream, label);
  BufferPtr partials =
      Buffer::allocate(first.params.outputs * first.params.chunks * accumulator_size, stream);
  first.params.partials = partials->data();
  launch_once(kernel, first, constants, *stream, label);
  ReduceLaunch last = plan_finish(first);
  launch_once(kernel, last, constants, *stream, label);
}

void cuda_reduce(Reduction reduction, DType loop, const ReducePlan& plan, const StreamPtr& stream) {
  KernelHandle kernel = reduce_kernel(reduction, plan.source_dtype, loop, stream->device());
  const bool spread = info(reduction).result == ReductionResult::REAL;
  const ReduceLaunch launch = plan_reduction(
      plan, itemsize(plan.source_dtype), properties(stream->device()).multiprocessors,
      spread ? kReduceSpreadVectorsPerLane : kReduceVectorsPerLane);
  launch_reduction(kernel, launch, accumulator_size(reduction, loop), nullptr, stream,
                   {info(reduction).name, plan.source_dtype, *plan.source_shape});
}

}  // namespace gpuarray
