// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernel_image.hpp"
#include "types.hpp"

namespace model {

// What the kernels of every image read and call.
test_driver::ThreadState* thread_state();

// Runs a grid, block after block, each thread as a fiber that gives way at barriers and warp
// operations. kIllegalAddress where it touches memory that is not there, kLaunchFailed where
// threads wait for others that do not come. Each block begins with fresh shared memory. One grid at
// a time in the process.
Status run_grid(const test_driver::HostKernel& kernel, void** arguments,
                const test_driver::Index3& grid, const test_driver::Index3& block,
                size_t shared_bytes);

}  // namespace model
