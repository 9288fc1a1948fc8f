// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
// Reports indices out of bounds, which kernels find long after the call that gave them.
#pragma once

#include <cstdint>

#include "core/device.hpp"

namespace gpuarray {

// Throws IndexError "take: index 7 is out of bounds for axis 0 with size 5".
[[noreturn]] void throw_index_error(const char* operation, int64_t index, int axis, int64_t length);

// The first index out of bounds on a CUDA device, as kernels write it (IndexErrorRecord of
// kernels/indexing/index_axis.hpp).
struct NotedIndex {
  uint32_t state;  // 0: none, 1: being written or read, 2: complete
  int32_t axis;
  int64_t index;
  int64_t length;
  const char* operation;
};

// Returns the record that kernels of the device write to. It lies in page-locked memory, is
// allocated at the first use and never freed. Throws DeviceError and CudaError.
NotedIndex* noted_index(Device device);

// Throws IndexError for the device's record, if there is one, and clears it. Every wait that the
// caller has asked for ends with this; does nothing on cpu.
void raise_index_errors(Device device);

}  // namespace gpuarray
