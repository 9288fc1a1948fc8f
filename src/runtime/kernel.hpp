// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <string>

#include "core/device.hpp"
#include "runtime/stream.hpp"

namespace gpuarray {

// A kernel of the embedded modules, loaded at first use; null if the build has no such kernel.
struct KernelHandle {
  void* kernel = nullptr;  // CUkernel: one handle for all devices
};

// Looks `symbol` up in the embedded module `family` (the stem of kernels/aot/<family>.cu), loading
// it first. Null when the build has no such kernel or no device code for the devices present.
// Callers keep the handle.
KernelHandle find_kernel(const char* family, const std::string& symbol);

struct LaunchShape {
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  uint32_t shared_bytes = 0;
};

// Queues the kernel on `stream`. `arguments` are the addresses of its parameters.
void launch(KernelHandle kernel, const LaunchShape& shape, void** arguments, const Stream& stream);

}  // namespace gpuarray
