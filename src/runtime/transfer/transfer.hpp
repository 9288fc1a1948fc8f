// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "core/host_bytes.hpp"
#include "runtime/device/memory_kind.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// Copies between host memory and packed memory of a device, in the order of `stream`. On cpu they
// are done on return. They throw CudaError, and OutOfMemory where a buffer is needed.

// Copies all of `source` to `target`, memory of the stream's device. The source may be reused as
// soon as the call returns; but without `blocking`, page-locked contiguous memory only after the
// stream is synchronised. Memory of a `kind` that the host sees is written by the host after it has
// waited for the stream, or without `blocking` in stream order. In a capture the graph keeps a copy
// of the source.
void copy_host_to_device(void* target, const HostBytes& source, const Stream& stream,
                         bool blocking = true, MemoryKind kind = MemoryKind::device);
// Copies memory of the stream's device to all of `target`. The bytes are in place on return; but
// without `blocking`, in page-locked contiguous memory only after the stream is synchronised.
// Memory of a `kind` that the host sees is read by the host after it has waited for the stream, or
// without `blocking` in stream order. With `blocking` throws IndexError for an index out of bounds
// that the device came upon.
void copy_device_to_host(const HostBytes& target, const void* source, const Stream& stream,
                         bool blocking = true, MemoryKind kind = MemoryKind::device);
// Copies from another CUDA device to memory of the stream's device, directly between peers and else
// through the host. Asynchronous on `stream`; the caller has made it wait for the source.
void copy_peer(void* target, const void* source, Device source_device, int64_t nbytes,
               const Stream& stream);

}  // namespace gpuarray
