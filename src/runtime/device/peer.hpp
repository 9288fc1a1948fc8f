// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "core/device.hpp"

namespace gpuarray {

// Returns whether `device` can read and write memory of `peer` directly, not through the host. A
// device can use its own memory; cpu has no peers. Throws DeviceError for a device that does not
// exist.
bool can_access_peer(Device device, Device peer);

// Gives `device` access to all memory of `peer`, present and future; later calls do nothing.
// Returns false where the hardware has no such access, so that copies go through the host. Throws
// CudaError.
bool open_peer(Device device, Device peer);

}  // namespace gpuarray
