// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

// What CUDA fixes for the grids of all devices.
namespace gpuarray {

inline constexpr int64_t kWarp = 32;                            // threads
inline constexpr int64_t kMostBlocks = (int64_t{1} << 31) - 1;  // along the first axis of a grid

}  // namespace gpuarray
