// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "cub/sort.hpp"
#include "runtime/launch/kernel.hpp"

namespace gpuarray {

// Returns whether the library _cub can be loaded.
bool has_radix_sort();

// Queues a sort on `stream`, with temporary memory of its own. What `sort` points to must live
// until the sort is done. Sets sort.selected. Throws DeviceError if the library _cub cannot be
// loaded, OutOfMemory, CudaError.
void radix_sort(cub::Sort& sort, const StreamPtr& stream, const LaunchLabel& label);

}  // namespace gpuarray
