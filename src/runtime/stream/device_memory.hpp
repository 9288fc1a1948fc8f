// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "runtime/stream/stream.hpp"

namespace gpuarray {

// Copies and fills of `nbytes` bytes of memory of the stream's device. They are queued on the
// stream; on cpu they are done on return. They throw CudaError.

// Copies within the device. On CUDA the two ranges must not overlap.
void copy_device_to_device(void* target, const void* source, int64_t nbytes, const Stream& stream);
// Sets each byte to `value`.
void fill_device(void* target, unsigned char value, int64_t nbytes, const Stream& stream);
// Copies to host memory and blocks until the bytes are there.
void read_device(void* target, const void* source, int64_t nbytes, const Stream& stream);

}  // namespace gpuarray
