// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "core/host_bytes.hpp"
#include "runtime/stream.hpp"

namespace gpuarray {

// Copies on `stream`, between packed memory of its device and host memory, or within the device. On
// cpu they are done on return.

// All of `source`, which may be reused as soon as the call returns.
void copy_host_to_device(void* target, const HostBytes& source, const Stream& stream);
// All of `target`, in place on return. Without `blocking`, page-locked contiguous memory is valid
// only after the stream is synchronised.
void copy_device_to_host(const HostBytes& target, const void* source, const Stream& stream,
                         bool blocking = true);
void copy_device_to_device(void* target, const void* source, int64_t nbytes, const Stream& stream);
// From another CUDA device, on `stream` of the target's device; the caller has ordered the streams.
// Direct between peers, else through the host.
void copy_peer(void* target, const void* source, Device source_device, int64_t nbytes,
               const Stream& stream);

}  // namespace gpuarray
