// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/scan_launch.hpp"

namespace gpuarray {

// Queues the launch of a scan on a CUDA stream. `accumulator_size` is in bytes; `constants` is what
// the kernel takes besides the parameters, or null.
void launch_scan(KernelHandle kernel, ScanLaunch made, int accumulator_size, void* constants,
                 const StreamPtr& stream, const LaunchLabel& label);

}  // namespace gpuarray
