// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "backend/reduce_launch.hpp"
#include "core/device.hpp"
#include "core/op.hpp"

namespace gpuarray {

// Returns the launch of a reduction in the dtype `loop` on the device.
ReduceLaunch plan_cuda_reduction(Reduction reduction, const ReducePlan& plan, Device device);
// Returns the bytes of one partial result.
int64_t accumulator_size(Reduction reduction, DType loop);
// Returns the C++ type of the reducer, "sum_reducer<float>". Elements of a dtype that the reduction
// does not take are converted to `loop`, by "converted_reducer<float, sum_reducer<double>>".
std::string reducer_type(Reduction reduction, DType source, DType loop);

// Queues the launches of a reduction on a CUDA stream: `first`, and a second one if that has
// several chunks. A partial result has `accumulator_size` bytes; `constants` points to what the
// kernel takes besides its parameters, or is null. Throws OutOfMemory if the partial results have
// no room, and CudaError.
void launch_reduction(KernelHandle kernel, ReduceLaunch first, int64_t accumulator_size,
                      void* constants, const StreamPtr& stream, const LaunchLabel& label);

}  // namespace gpuarray
