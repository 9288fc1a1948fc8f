// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "core/device.hpp"

namespace gpuarray {

// Whether `device` can read and write memory of `peer` without the host between them. A device can
// its own; the cpu no other's. Throws DeviceError for a device that does not exist.
bool can_access_peer(Device device, Device peer);

// Makes all memory of `peer`, now and later, known to `device`, at the first call; false where it
// cannot be, and copies go through the host. Throws CudaError.
bool open_peer(Device device, Device peer);

}  // namespace gpuarray
