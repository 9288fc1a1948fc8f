// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/reduce_launch.hpp"

namespace gpuarray {

// Queues the launches of a reduction on a CUDA stream: `first`, and a second one if that has
// several chunks. A partial result has `accumulator_size` bytes; `constants` points to what the
// kernel takes besides its parameters, or is null. Throws OutOfMemory if the partial results have
// no room, and CudaError.
void launch_reduction(KernelHandle kernel, ReduceLaunch first, int64_t accumulator_size,
                      void* constants, const StreamPtr& stream, const LaunchLabel& label);

}  // namespace gpuarray
