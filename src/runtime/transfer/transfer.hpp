// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "core/host_bytes.hpp"
#include "runtime/device/memory_kind.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// Copies on `stream`, between packed memory of its device and host memory, or within the device. On
// cpu they are done on return.

// All of `source`, which may be reused as soon as the call returns; without `blocking`, page-locked
// contiguous memory only after the stream is synchronised. Memory of a `kind` that the host sees is
// written by the host when the stream has come to it, or without `blocking` in stream order.
void copy_host_to_device(void* target, const HostBytes& source, const Stream& stream,
                         bool blocking = true, MemoryKind kind = MemoryKind::device);
// All of `target`, in place on return; without `blocking`, page-locked contiguous memory is valid
// only after the stream is synchronised. Memory that the host sees is read as it is written above.
void copy_device_to_host(const HostBytes& target, const void* source, const Stream& stream,
                         bool blocking = true, MemoryKind kind = MemoryKind::device);
// From another CUDA device, on `stream` of the target's device; the caller has ordered the streams.
// Direct between peers, else through the host.
void copy_peer(void* target, const void* source, Device source_device, int64_t nbytes,
               const Stream& stream);

}  // namespace gpuarray
