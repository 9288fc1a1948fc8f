// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "runtime/stream/stream.hpp"

namespace gpuarray {

// Returns the device's main stream, the default of every thread. It orders itself with the legacy
// default stream, which other libraries use. There is one a device, and it is never destroyed.
const StreamPtr& main_stream(Device device);
// Returns the driver's per-thread default stream of the calling thread.
const StreamPtr& thread_stream(Device device);

}  // namespace gpuarray
