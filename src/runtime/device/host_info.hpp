// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "runtime/device/device.hpp"

namespace gpuarray {

// The cpu device: the processor's name, its threads as multiprocessors, physical memory.
const DeviceProperties& host_properties();
// Free memory is what can be had without swapping.
MemoryInfo host_memory_info();

// Asks for huge pages under a large fresh block: touching it first is most of what filling it
// costs.
void advise_huge_pages(void* data, int64_t nbytes) noexcept;

}  // namespace gpuarray
