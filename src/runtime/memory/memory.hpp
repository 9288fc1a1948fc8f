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

// What a resource and its upstreams hold.
struct MemoryUsage {
  static constexpr int64_t kNoLimit = INT64_MAX;
  int64_t used = 0;    // bytes in blocks handed out
  int64_t cached = 0;  // bytes kept for reuse
  // Number of the blocks kept for reuse, and the bytes of the largest.
  int64_t free_blocks = 0;
  int64_t largest_free_block = 0;
  int64_t limit = kNoLimit;
};

// Allocates memory of one device in stream order. Thread-safe. A resource may call Python, so that
// no resource may hold a lock while it calls its upstream.
class MemoryResource {
 public:
  virtual ~MemoryResource() = default;

  virtual Device device() const = 0;
  // What memory is aligned to on a CUDA device.
  static constexpr uintptr_t kAlignment = 256;
  // Returns memory that is aligned to 256 bytes (64 on cpu) and usable by work queued on `stream`
  // from now on. `nbytes` is positive. Throws OutOfMemory with how much was asked for, used and
  // free.
  virtual void* allocate(int64_t nbytes, const Stream& stream) = 0;
  // Frees memory after the work queued on `stream`; the caller need not synchronise. `nbytes` is
  // what was asked for. It may be another stream than that of the allocation.
  virtual void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept = 0;
  // Drops what the resource keeps for `stream`, which is about to be destroyed.
  virtual void forget(const Stream&) noexcept {}
  // Gives what is kept for reuse back to the device. May wait for work on it.
  virtual void release_cached() noexcept {}
  // Returns the name of the resource's class as users know it.
  virtual std::string describe() const { return "MemoryResource"; }
  // Returns the resource that this one allocates from; null for a source of memory.
  virtual std::shared_ptr<MemoryResource> upstream() const { return nullptr; }
  // Adds what this resource and its upstreams hold.
  virtual void add_usage(MemoryUsage&) const {}

  // Returns what this resource and its upstreams hold.
  MemoryUsage usage() const {
    MemoryUsage sum;
    add_usage(sum);
    return sum;
  }
  int64_t cached_bytes() const { return usage().cached; }
};

using MemoryResourcePtr = std::shared_ptr<MemoryResource>;

// The memory of a device that is in use, in bytes; peak_bytes is the most that was ever in use.
struct MemoryStatistics {
  int64_t bytes_in_use;
  int64_t peak_bytes;
  int64_t allocations;  // number of blocks in use
};

// Returns the resource of new arrays: the thread's (set_thread_resource), else the process's
// (set_resource), else the device's own. What it gives is counted in memory_statistics(). Throws
// DeviceError for a device that does not exist.
MemoryResourcePtr current_resource(Device device);
// Returns what is counted for the device, whatever resource it comes from.
MemoryStatistics memory_statistics(Device device);

// Returns the device's own resource. It counts, over a pool, over a limit, over the driver's memory
// or on cpu the host's. GPUARRAY_MEMORY_DEBUG=1 puts a DebugResource below the counting.
const MemoryResourcePtr& default_resource(Device device);

// Sets the resource for all threads that have none of their own; null is the device's own. Throws
// DeviceError for another device's resource.
void set_resource(Device device, MemoryResourcePtr resource);
// Sets the resource for this thread, where it takes precedence; null unsets it. Returns the
// previous one, null if there was none. Throws DeviceError for another device's resource.
MemoryResourcePtr set_thread_resource(Device device, MemoryResourcePtr resource);
// Returns the resource that was set for this thread, or else the process; null if none was.
MemoryResourcePtr chosen_resource(Device device);

// Sets the most bytes that the device's own resource takes from the device, including what it keeps
// for reuse; MemoryUsage::kNoLimit is no limit. The initial limit is that of GPUARRAY_MEMORY_LIMIT.
void set_memory_limit(Device device, int64_t limit);
int64_t memory_limit(Device device);

// Returns the device's free and total memory. What the device's own resource keeps for reuse counts
// as free. Throws CudaError.
MemoryInfo memory_info(Device device);

// Receives a text about an error in a free, which cannot be thrown. It may be called on any thread.
using MemoryErrorReport = void (*)(const char* text);
// Sets the receiver; without one, errors go to standard error.
void set_memory_error_report(MemoryErrorReport report);
// Passes an error in a free to the receiver.
void report_memory_error(const char* text) noexcept;
// Reports that memory of a device, which `what` names, is never freed or reused, because the driver
// did not wait for the work that may use it.
void report_kept(Device device, const std::string& what) noexcept;

}  // namespace gpuarray
