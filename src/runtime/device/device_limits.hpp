// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "core/device.hpp"

namespace gpuarray {

// The limits of a launch on a CUDA device.
struct DeviceLimits {
  int threads_per_block;
  int block[3];  // threads along x, y, z
  int grid[3];   // blocks along x, y, z
  // Bytes a block, static and dynamic, for kernels that opt in to more than 48 KiB.
  int shared_bytes;
  // Whether the device has cooperative launches, and thread block clusters.
  bool cooperative;
  bool clusters;
  int multiprocessors;
};
// Returns the limits, read once. Throws DeviceError for a device that is not a CUDA device.
const DeviceLimits& device_limits(Device device);

}  // namespace gpuarray
