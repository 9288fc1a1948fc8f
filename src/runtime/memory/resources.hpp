// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <string>

#include "runtime/device/memory_kind.hpp"
#include "runtime/memory/memory.hpp"

namespace gpuarray {

// The driver's stream-ordered pool of a CUDA device; blocking allocation where it has no pools.
class DriverResource final : public MemoryResource {
 public:
  explicit DriverResource(Device device) : device_(device) {}
  Device device() const override { return device_; }
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  // Waits for all work on the device.
  void release_cached() noexcept override;
  void add_usage(MemoryUsage& usage) const override;
  std::string describe() const override { return "DriverResource"; }

 private:
  const Device device_;
  std::atomic<int64_t> used_ = 0;
};

// The host's heap.
class HostResource final : public MemoryResource {
 public:
  Device device() const override { return Device::cpu(); }
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  void add_usage(MemoryUsage& usage) const override { usage.used += used_; }
  std::string describe() const override { return "HostResource"; }

 private:
  std::atomic<int64_t> used_ = 0;
};

// Passes all but memory itself on to its upstream.
class ForwardingResource : public MemoryResource {
 public:
  explicit ForwardingResource(MemoryResourcePtr upstream) : upstream_(std::move(upstream)) {}
  Device device() const override { return upstream_->device(); }
  void forget(const Stream& stream) noexcept override { upstream_->forget(stream); }
  void release_cached() noexcept override { upstream_->release_cached(); }
  void add_usage(MemoryUsage& usage) const override { upstream_->add_usage(usage); }
  MemoryResourcePtr upstream() const override { return upstream_; }

 protected:
  const MemoryResourcePtr upstream_;
};

struct MemoryCounters {
  std::atomic<int64_t> bytes_in_use = 0;
  std::atomic<int64_t> peak_bytes = 0;
  std::atomic<int64_t> allocations = 0;
};

// Counts what its upstream gives of one kind, and tells memory_watch.hpp; several may count into
// one.
class StatisticsResource final : public ForwardingResource {
 public:
  explicit StatisticsResource(MemoryResourcePtr upstream, std::shared_ptr<MemoryCounters> counters =
                                                              std::make_shared<MemoryCounters>())
      : StatisticsResource(upstream, std::move(counters),
                           upstream->device().is_cpu() ? MemoryKind::host : MemoryKind::device) {}
  StatisticsResource(MemoryResourcePtr upstream, std::shared_ptr<MemoryCounters> counters,
                     MemoryKind kind)
      : ForwardingResource(std::move(upstream)), counters_(std::move(counters)), kind_(kind) {}
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  void add_usage(MemoryUsage& usage) const override;
  std::string describe() const override { return "StatisticsResource"; }
  MemoryStatistics statistics() const;

 private:
  const std::shared_ptr<MemoryCounters> counters_;
  const MemoryKind kind_;
};

// Takes at most `limit` bytes from its upstream.
class LimitResource final : public ForwardingResource {
 public:
  LimitResource(MemoryResourcePtr upstream, int64_t limit)
      : ForwardingResource(std::move(upstream)), limit_(limit) {}
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  void add_usage(MemoryUsage& usage) const override;
  std::string describe() const override { return "LimitResource"; }
  int64_t limit() const { return limit_; }
  // What is in use beyond a lower limit stays.
  void set_limit(int64_t limit) { limit_ = limit; }

 private:
  std::atomic<int64_t> limit_;
  std::atomic<int64_t> in_use_ = 0;
};

// A pool: CachingResource over SegmentResource over `upstream`, known to forget_stream.
MemoryResourcePtr make_pool(MemoryResourcePtr upstream);

// Throws OutOfMemory saying how much was asked, used, cached and free, and the limit.
[[noreturn]] void throw_out_of_memory(Device device, int64_t nbytes,
                                      int64_t limit = MemoryUsage::kNoLimit);
// "512 bytes", "1.0 GiB".
std::string bytes_text(int64_t nbytes);
// Reads "4GiB", "512 MB", "80%" (of `total`) or a number of bytes. Throws ValueError that begins
// with `what`.
int64_t parse_bytes(const std::string& text, int64_t total, const std::string& what);

}  // namespace gpuarray
