// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <string>

#include "core/device.hpp"
#include "core/dims.hpp"
#include "core/dtype.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// A kernel, null for none.
struct KernelHandle {
  void* kernel = nullptr;  // CUkernel, for all devices, or CUfunction, for one
};

// Looks `symbol` up in the embedded module `family` (the stem of kernels/aot/<family>.cu), loading
// it first. Null when the build has no such kernel or no device code for the devices present.
// Callers keep the handle.
KernelHandle find_kernel(const std::string& family, const std::string& symbol);

struct LaunchShape {
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  uint32_t shared_bytes = 0;

  static LaunchShape linear(int64_t blocks, int threads) {
    return {{static_cast<uint32_t>(blocks), 1, 1}, {static_cast<uint32_t>(threads), 1, 1}, 0};
  }
};

// What a launch is called when it may have failed.
struct LaunchLabel {
  const char* operation;  // lives for the process
  DType dtype;
  const Shape& shape;
};

// Queues a kernel, or the CUfunction that it is on the stream's device (cheaper by 0.08 us), on
// `stream`, and waits for it if launches block. `arguments` are the addresses of its parameters.
void launch(KernelHandle kernel, const LaunchShape& shape, void** arguments, const Stream& stream,
            const LaunchLabel& label);

}  // namespace gpuarray
