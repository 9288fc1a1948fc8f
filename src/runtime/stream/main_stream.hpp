// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "runtime/stream/stream.hpp"

namespace gpuarray {

// The device's stream that orders itself with the legacy default stream; one a device, never
// destroyed.
const StreamPtr& main_stream(Device device);
// This thread's default stream of the driver.
const StreamPtr& thread_stream(Device device);

}  // namespace gpuarray
