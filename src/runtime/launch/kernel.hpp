// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "runtime/code/embedded_module.hpp"
#include "runtime/stream/launch_log.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// Queues a kernel on `stream`; if launches block (launch_mode), waits for it. The kernel may be
// given as a CUkernel or as the CUfunction of the stream's device, which is 0.08 us cheaper.
// `arguments` are the addresses of its parameters, read before the call returns. Throws DeviceError
// for a null kernel or one without code for the device, CudaError.
void launch(KernelHandle kernel, const LaunchShape& shape, void** arguments, const Stream& stream,
            const LaunchLabel& label);

}  // namespace gpuarray
