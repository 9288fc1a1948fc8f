// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernel_image.hpp"
#include "types.hpp"

namespace model {

// Returns the state that the kernels of every image read and call.
test_driver::ThreadState* thread_state();

// Runs a grid, block after block; each thread is a fiber that gives way at barriers and warp
// operations. Returns kIllegalAddress if it touches memory that does not exist, and kLaunchFailed
// if threads wait for others that never come. Each block begins with fresh shared memory. The
// process runs one grid at a time.
Status run_grid(const test_driver::HostKernel& kernel, void** arguments,
                const test_driver::Index3& grid, const test_driver::Index3& block,
                size_t shared_bytes);

}  // namespace model
