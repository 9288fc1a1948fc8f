// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Cuts a scan into threads, blocks and tiles, by pure functions of shape, strides and alignment.
#pragma once

#include <cstdint>

#include "backend/backend.hpp"
#include "kernels/scan/scan_params.hpp"
#include "runtime/launch/kernel.hpp"

namespace gpuarray {

// The launch of a scan's kernel.
struct ScanLaunch {
  ScanPath path;
  ScanParams params;  // the entries of its arrays beyond its ndims are not set
  uint32_t grid;      // blocks
  int64_t slots;      // of the state by which tiles pass on their sums; 0 for a single tile
};

// Returns the launch of the scan. `source_size` and `target_size` are the bytes of one element.
// Throws ValueError if it needs more blocks than a grid has, ShapeError for too many axes.
ScanLaunch plan_scan(const ScanPlan& plan, int source_size, int target_size);

}  // namespace gpuarray
