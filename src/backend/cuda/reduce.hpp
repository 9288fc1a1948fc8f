// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/reduce_launch.hpp"

namespace gpuarray {

// Queues both launches of a reduction on a CUDA stream. `accumulator_size` is the bytes of a
// partial result; `constants` is what the kernel takes besides the parameters, or null.
void launch_reduction(KernelHandle kernel, ReduceLaunch first, int64_t accumulator_size,
                      void* constants, const StreamPtr& stream, const LaunchLabel& label);

}  // namespace gpuarray
