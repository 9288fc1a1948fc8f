// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <string>

#include "runtime/memory.hpp"

namespace gpuarray {

// The driver's stream-ordered pool of a CUDA device; blocking allocation where it has no pools.
class DriverResource final : public MemoryResource {
 public:
  explicit DriverResource(Device device) : device_(device) {}
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;

 private:
  Device device_;
};

// The host's heap.
class HostResource final : public MemoryResource {
 public:
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
};

// Counts what its upstream gives.
class StatisticsResource final : public MemoryResource {
 public:
  explicit StatisticsResource(std::shared_ptr<MemoryResource> upstream)
      : upstream_(std::move(upstream)) {}
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  MemoryStatistics statistics() const;

 private:
  std::shared_ptr<MemoryResource> upstream_;
  std::atomic<int64_t> bytes_in_use_ = 0;
  std::atomic<int64_t> peak_bytes_ = 0;
  std::atomic<int64_t> allocations_ = 0;
};

// Throws OutOfMemory saying how much was asked, used and free.
[[noreturn]] void throw_out_of_memory(Device device, int64_t nbytes);
// "512 bytes", "1.0 GiB".
std::string bytes_text(int64_t nbytes);

}  // namespace gpuarray
