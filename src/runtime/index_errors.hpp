// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Indices out of bounds, which a CUDA device comes upon long after the call.
#pragma once

#include <cstdint>

#include "core/device.hpp"
#include "kernels/index_axis.hpp"

namespace gpuarray {

// "take: index 7 is out of bounds for axis 0 with size 5".
[[noreturn]] void throw_index_error(const char* operation, int64_t index, int axis, int64_t length);

// Where kernels of a CUDA device note the first one; page-locked, made at the first use and kept.
IndexErrorRecord* index_error_record(Device device);

// Throws IndexError for what is noted there, and forgets it. Every wait that callers ask for ends
// with it; nothing on cpu.
void raise_index_errors(Device device);

}  // namespace gpuarray
