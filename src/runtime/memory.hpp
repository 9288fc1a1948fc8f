// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <memory>

#include "core/device.hpp"
#include "runtime/stream.hpp"

namespace gpuarray {

// Gives and takes back memory of one device in stream order. Thread-safe.
class MemoryResource {
 public:
  virtual ~MemoryResource() = default;

  // 256-byte aligned (64 on cpu); usable by work queued on `stream` from now on. `nbytes` > 0.
  // Throws OutOfMemory saying how much was asked, used and free.
  virtual void* allocate(int64_t nbytes, const Stream& stream) = 0;
  // Freed after the work queued on `stream`; the caller need not synchronise.
  virtual void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept = 0;
  // Keeps nothing for `stream`, which is about to be destroyed.
  virtual void forget(const Stream&) noexcept {}
  // Bytes kept for reuse; `release` gives them back upstream.
  virtual int64_t cached_bytes() const { return 0; }
  virtual void release_cached() noexcept {}
};

struct MemoryStatistics {
  int64_t bytes_in_use;
  int64_t peak_bytes;
  int64_t allocations;  // blocks in use
};

// Where arrays of the device come from: the driver's stream-ordered pool or the host's heap,
// counted.
const std::shared_ptr<MemoryResource>& current_resource(Device device);
MemoryStatistics memory_statistics(Device device);

}  // namespace gpuarray
