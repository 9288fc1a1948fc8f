// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "runtime/device/memory_kind.hpp"
#include "runtime/memory/resources.hpp"

// Page-locked and managed memory: memory of a CUDA device that the host can use too.
namespace gpuarray {

// Allocates page-locked host memory, which every CUDA device can use. A free takes effect at once,
// not in stream order.
class PinnedResource final : public MemoryResource {
 public:
  Device device() const override { return Device::cuda(0); }
  std::string describe() const override { return "PinnedResource"; }
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
};

// Allocates memory that the driver migrates between the host and the devices. A free takes effect
// at once, not in stream order.
class ManagedResource final : public MemoryResource {
 public:
  explicit ManagedResource(Device device) : device_(device) {}
  Device device() const override { return device_; }
  std::string describe() const override { return "ManagedResource"; }
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;

 private:
  const Device device_;
};

// Returns the resource that arrays of a kind of memory come from: for `device`, and on cpu, the
// device's current resource. All CUDA devices share one pool of pinned memory. Throws DeviceError.
MemoryResourcePtr resource_of(Device device, MemoryKind kind);

// The statistics of a kind of memory; cached_bytes are kept for reuse.
struct KindStatistics {
  MemoryStatistics used;
  int64_t cached_bytes;
};
// Returns the statistics of pinned or managed memory, all 0 for the cpu device and before the first
// use.
KindStatistics kind_statistics(Device device, MemoryKind kind);

// Page-locks the whole pages around host memory, for all devices. Returns false if the driver knows
// the memory already. Throws OutOfMemory and CudaError.
bool page_lock(Device device, void* data, int64_t nbytes);
// Ends the page-lock. Blocks until all devices in use have done all their work. Throws CudaError
// and IndexError.
void page_unlock(Device device, void* data);

// Advice for the driver on managed memory; the values are those of CUmem_advise that set it.
enum class MemoryAdvice : unsigned int {
  read_mostly = 1,
  preferred_location = 3,
  accessed_by = 5,
};
// Queues the migration of managed memory to `device` (cpu is the host) on `stream`. Throws
// CudaError.
void prefetch(void* data, int64_t nbytes, Device device, const Stream& stream);
// Sets or unsets advice on managed memory of `memory_device` for accesses from `device`. Throws
// CudaError.
void advise(void* data, int64_t nbytes, MemoryAdvice advice, bool set, Device device,
            Device memory_device);

}  // namespace gpuarray
