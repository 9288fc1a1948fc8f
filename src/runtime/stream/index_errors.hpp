// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Indices out of bounds, which a CUDA device comes upon long after the call.
#pragma once

#include <cstdint>

#include "core/device.hpp"

namespace gpuarray {

// "take: index 7 is out of bounds for axis 0 with size 5".
[[noreturn]] void throw_index_error(const char* operation, int64_t index, int axis, int64_t length);

// The first one of a CUDA device, as kernels note it (IndexErrorRecord of
// kernels/indexing/index_axis.hpp).
struct NotedIndex {
  uint32_t state;  // 0: none, 1: being written or raised, 2: noted
  int32_t axis;
  int64_t index;
  int64_t length;
  const char* operation;
};

// Where they note it: page-locked memory, made at the first use and kept.
NotedIndex* noted_index(Device device);

// Throws IndexError for what is noted there, and forgets it. Every wait that callers ask for ends
// with it; nothing on cpu.
void raise_index_errors(Device device);

}  // namespace gpuarray
