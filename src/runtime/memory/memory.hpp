// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/device.hpp"
#include "runtime/device/device.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// What a resource and those upstream of it hold, in bytes.
struct MemoryUsage {
  static constexpr int64_t kNoLimit = INT64_MAX;
  int64_t used = 0;    // in blocks handed out
  int64_t cached = 0;  // kept for reuse
  int64_t free_blocks = 0;
  int64_t largest_free_block = 0;
  int64_t limit = kNoLimit;
};

// Gives and takes back memory of one device in stream order. Thread-safe; may call Python, so that
// no lock is held across a call of another resource.
class MemoryResource {
 public:
  virtual ~MemoryResource() = default;

  virtual Device device() const = 0;
  // 256-byte aligned (64 on cpu); usable by work queued on `stream` from now on. `nbytes` > 0.
  // Throws OutOfMemory saying how much was asked, used and free.
  virtual void* allocate(int64_t nbytes, const Stream& stream) = 0;
  // Freed after the work queued on `stream`; the caller need not synchronise.
  virtual void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept = 0;
  // Keeps nothing for `stream`, which is about to be destroyed.
  virtual void forget(const Stream&) noexcept {}
  // Gives what is kept for reuse back to the device.
  virtual void release_cached() noexcept {}
  virtual std::string describe() const { return "MemoryResource"; }
  // Where its memory comes from; null for a source.
  virtual std::shared_ptr<MemoryResource> upstream() const { return nullptr; }
  // Adds what this resource and its upstream hold.
  virtual void add_usage(MemoryUsage&) const {}

  MemoryUsage usage() const {
    MemoryUsage sum;
    add_usage(sum);
    return sum;
  }
  int64_t cached_bytes() const { return usage().cached; }
};

using MemoryResourcePtr = std::shared_ptr<MemoryResource>;

struct MemoryStatistics {
  int64_t bytes_in_use;
  int64_t peak_bytes;
  int64_t allocations;  // blocks in use
};

// Where this thread's arrays of the device come from: what using_resource chose, else what
// set_resource chose, else the device's own. Counted in memory_statistics.
MemoryResourcePtr current_resource(Device device);
MemoryStatistics memory_statistics(Device device);

// The device's own: statistics over the pool over the limit over the driver's memory (the host's
// heap on cpu); DebugResource over the pool where GPUARRAY_MEMORY_DEBUG=1.
const MemoryResourcePtr& default_resource(Device device);

// For all threads; null is the device's own. Throws DeviceError for another device's resource.
void set_resource(Device device, MemoryResourcePtr resource);
// For this thread, before which the process's stands back; returns the one before, null for none.
MemoryResourcePtr set_thread_resource(Device device, MemoryResourcePtr resource);
MemoryResourcePtr chosen_resource(Device device);  // as given to the two, null for none

// Most bytes that the device's own resource takes from it, what it keeps for reuse included;
// MemoryUsage::kNoLimit for no limit. At first GPUARRAY_MEMORY_LIMIT.
void set_memory_limit(Device device, int64_t limit);
int64_t memory_limit(Device device);

// The device's free and total memory; what the device's own resource keeps for reuse is free.
MemoryInfo memory_info(Device device);

// Told of errors in frees, which nobody can catch; standard error unless set. Any thread.
using MemoryErrorReport = void (*)(const char* text);
void set_memory_error_report(MemoryErrorReport report);
void report_memory_error(const char* text) noexcept;

}  // namespace gpuarray
