// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/memory.hpp"
#include "runtime/memory_kind.hpp"

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

// Keeps freed blocks of up to 1 MiB for reuse on the stream that they were freed on, by size
// classes; streams of other devices, and those not ours, whose handles may be another's tomorrow,
// go upstream.
class CachingResource final : public MemoryResource {
 public:
  CachingResource(Device device, std::shared_ptr<MemoryResource> upstream)
      : device_(device), upstream_(std::move(upstream)) {}
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  void forget(const Stream& stream) noexcept override;
  int64_t cached_bytes() const override;
  void release_cached() noexcept override;

 private:
  static constexpr int kClasses = 40;
  struct StreamBlocks {
    const Stream* stream = nullptr;
    std::vector<void*> classes[kClasses];
  };

  bool is_cached(int64_t nbytes, const Stream& stream) const;
  // A kept block, null if there is none.
  void* take(int64_t nbytes, const Stream& stream);
  bool keep(void* data, int64_t nbytes, const Stream& stream) noexcept;
  StreamBlocks& blocks_of(const Stream& stream);
  void give_back(StreamBlocks& blocks) noexcept;

  const Device device_;
  std::shared_ptr<MemoryResource> upstream_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<StreamBlocks>> streams_;
  int64_t cached_ = 0;
};

// Counts what its upstream gives of one kind, and tells memory_watch.hpp.
class StatisticsResource final : public MemoryResource {
 public:
  StatisticsResource(std::shared_ptr<MemoryResource> upstream, Device device, MemoryKind kind)
      : upstream_(std::move(upstream)), device_(device), kind_(kind) {}
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  void forget(const Stream& stream) noexcept override { upstream_->forget(stream); }
  int64_t cached_bytes() const override { return upstream_->cached_bytes(); }
  void release_cached() noexcept override { upstream_->release_cached(); }
  MemoryStatistics statistics() const;

 private:
  std::shared_ptr<MemoryResource> upstream_;
  const Device device_;
  const MemoryKind kind_;
  std::atomic<int64_t> bytes_in_use_ = 0;
  std::atomic<int64_t> peak_bytes_ = 0;
  std::atomic<int64_t> allocations_ = 0;
};

// Throws OutOfMemory saying how much was asked, used and free.
[[noreturn]] void throw_out_of_memory(Device device, int64_t nbytes);
// "512 bytes", "1.0 GiB".
std::string bytes_text(int64_t nbytes);

}  // namespace gpuarray
