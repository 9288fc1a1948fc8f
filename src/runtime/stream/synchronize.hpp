// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "core/device.hpp"

namespace gpuarray {

// Blocks until all work queued on the device is done; nothing for cpu. Throws CudaError for work
// that failed, IndexError for an index out of bounds that the device came upon.
void synchronize(Device device);
// The same where nobody asked to wait: leaves the IndexError to the next who does.
void finish(Device device);

}  // namespace gpuarray
