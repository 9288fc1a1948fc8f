// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/scan_launch.hpp"

namespace gpuarray {

// Queues the launch of a scan on a CUDA stream. A running result has `accumulator_size` bytes;
// `constants` points to what the kernel takes besides its parameters, or is null. Throws
// OutOfMemory if the state between tiles has no room, and CudaError.
void launch_scan(KernelHandle kernel, ScanLaunch made, int accumulator_size, void* constants,
                 const StreamPtr& stream, const LaunchLabel& label);

}  // namespace gpuarray
