// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "core/device.hpp"

namespace gpuarray {

// What a launch on a CUDA device may ask for.
struct DeviceLimits {
  int threads_per_block;
  int block[3];      // threads along x, y, z
  int grid[3];       // blocks along x, y, z
  int shared_bytes;  // of a block, static and dynamic, for kernels that ask for more than 48 KiB
  bool cooperative;
  bool clusters;
  int multiprocessors;
};
const DeviceLimits& device_limits(Device device);

}  // namespace gpuarray
