// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "core/device.hpp"

namespace gpuarray {

// The CUDA device that a device address belongs to. Throws ValueError for an address the driver
// does not know, DeviceError without a CUDA device.
Device device_of_pointer(const void* data);

}  // namespace gpuarray
