// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// How a scan is cut into threads, blocks and tiles; pure functions of shape, strides and alignment.
#pragma once

#include <cstdint>

#include "backend/backend.hpp"
#include "kernels/scan/scan_params.hpp"
#include "runtime/launch/kernel.hpp"

namespace gpuarray {

struct ScanLaunch {
  ScanPath path;
  ScanParams params;  // axes beyond its ndims are not set
  uint32_t grid;
  int64_t slots;  // of the state
};

// `source_size` and `target_size`: of an element, bytes. Throws ValueError beyond a grid's blocks.
ScanLaunch plan_scan(const ScanPlan& plan, int source_size, int target_size);

}  // namespace gpuarray
