// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "cub/sort.hpp"
#include "runtime/launch/kernel.hpp"

namespace gpuarray {

// Queues a sort on `stream`, with temporary memory of its own. Throws DeviceError where the library
// _cub cannot be had, CudaError if the sort cannot be queued.
void radix_sort(cub::Sort& sort, const StreamPtr& stream, const LaunchLabel& label);

}  // namespace gpuarray
