// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "runtime/stream/stream.hpp"

namespace gpuarray {

// Plain work on `nbytes` of packed memory of the stream's device, queued on the stream; on cpu it
// is done on return. They throw CudaError.

// Copies within the device.
void copy_device_to_device(void* target, const void* source, int64_t nbytes, const Stream& stream);
void fill_device(void* target, unsigned char value, int64_t nbytes, const Stream& stream);
// Copies to host memory and blocks until it is there.
void read_device(void* target, const void* source, int64_t nbytes, const Stream& stream);

}  // namespace gpuarray
