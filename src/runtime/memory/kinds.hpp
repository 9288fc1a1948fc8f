// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/device/memory_kind.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/stream/pending_work.hpp"

// Memory of a CUDA device that the host sees too.
namespace gpuarray {

// Page-locked memory of the host, which every CUDA device uses. Freed at once.
class PinnedResource final : public MemoryResource {
 public:
  Device device() const override { return Device::cuda(0); }
  std::string describe() const override { return "PinnedResource"; }
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
};

// Memory that the driver moves between the host and the devices. Freed at once.
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

// Keeps freed blocks until the work queued before is done, so that the host may write to what it
// hands out; then they are used again, by size, and go upstream only beyond `most_kept` bytes.
class IdleBlocksResource final : public ForwardingResource {
 public:
  IdleBlocksResource(MemoryResourcePtr upstream, int64_t most_kept)
      : ForwardingResource(std::move(upstream)), most_kept_(most_kept) {}
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  void add_usage(MemoryUsage& usage) const override;
  std::string describe() const override { return "IdleBlocksResource"; }
  // Waits for the work on what is kept.
  void release_cached() noexcept override;

 private:
  struct Block {
    void* data;
    Device device;  // that used it last
    std::unique_ptr<PendingWork> uses;
  };
  using Blocks = std::map<int64_t, std::vector<Block>>;  // by size, the oldest first

  void* take(int64_t nbytes);
  // What is done, the largest first, while more than `most_kept_` is kept.
  void trim();
  void give_back(const Block& block, int64_t nbytes) noexcept;

  const int64_t most_kept_;
  mutable std::mutex mutex_;
  Blocks blocks_;
  int64_t cached_ = 0;
};

// Where pinned or managed arrays of a CUDA device come from; pinned memory is one pool for all.
MemoryResourcePtr resource_of(Device device, MemoryKind kind);

struct KindStatistics {
  MemoryStatistics used;
  int64_t cached_bytes;
};
// Zeros for the cpu device, and before the first use.
KindStatistics kind_statistics(Device device, MemoryKind kind);

// Makes whole pages around host memory page-locked for all devices, or no longer, when they
// have done all their work. False if it is known to the driver already.
bool page_lock(Device device, void* data, int64_t nbytes);
void page_unlock(Device device, void* data);

// Advice of the driver for managed memory.
enum class MemoryAdvice : unsigned int {
  read_mostly = 1,
  preferred_location = 3,
  accessed_by = 5,
};
// Moves managed memory to `device` (the host for cpu) in stream order.
void prefetch(void* data, int64_t nbytes, Device device, const Stream& stream);
void advise(void* data, int64_t nbytes, MemoryAdvice advice, bool set, Device device,
            Device memory_device);

}  // namespace gpuarray
