// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "runtime/device/device.hpp"

namespace gpuarray {

// Returns the properties of the cpu device: the processor's name, its threads as multiprocessors,
// and the physical memory.
const DeviceProperties& host_properties();
// Returns the host's memory, of which that is free that can be had without swapping.
MemoryInfo host_memory_info();
// Returns the memory that this process may use at most: the least of the physical memory and the
// limits of its control groups.
int64_t process_memory_limit();

// Returns the number of cores that this process may use, by the affinity of the calling thread and
// the quota of its control group; at least 1.
int usable_cores();

// Asks the system to back a large new block by huge pages. Most of the cost of filling a new block
// is the first touch of each page. Does nothing for small blocks.
void advise_huge_pages(void* data, int64_t nbytes) noexcept;

}  // namespace gpuarray
