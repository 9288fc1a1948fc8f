// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "runtime/stream.hpp"

namespace gpuarray {

// Plain byte copies on `stream`, between memory of its device and host memory, or within the
// device. On cpu they are done on return.

// `source` may be reused as soon as the call returns.
void copy_host_to_device(void* target, const void* source, int64_t nbytes, const Stream& stream);
// Asynchronous when the driver can; `target` is valid after the stream is synchronised.
void copy_device_to_host(void* target, const void* source, int64_t nbytes, const Stream& stream);
void copy_device_to_device(void* target, const void* source, int64_t nbytes, const Stream& stream);
// From another CUDA device, on `stream` of the target's device; the caller has ordered the streams.
void copy_peer(void* target, const void* source, Device source_device, int64_t nbytes,
               const Stream& stream);

}  // namespace gpuarray
