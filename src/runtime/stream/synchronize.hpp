// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "core/device.hpp"

namespace gpuarray {

// Blocks until all work queued on the device is done; does nothing for cpu. Throws CudaError for
// work that failed, IndexError for an index out of bounds that the device came upon, CaptureError
// while a graph is being captured on the device.
void synchronize(Device device);
// Blocks as synchronize(), but throws no IndexError. It is for waits that the user has not asked
// for.
void finish(Device device);
// Does the same for destructors. Returns false if work may still use what is to be freed, as during
// a capture or after a call of the driver that failed.
bool try_finish(Device device) noexcept;

}  // namespace gpuarray
