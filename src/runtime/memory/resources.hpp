// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <string>

#include "runtime/device/memory_kind.hpp"
#include "runtime/memory/memory.hpp"

namespace gpuarray {

// Allocates from the driver's stream-ordered pool of a CUDA device. Where the device has no pools,
// allocation and free block.
class DriverResource final : public MemoryResource {
 public:
  explicit DriverResource(Device device) : device_(device) {}
  Device device() const override { return device_; }
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  // Waits for all work on the device, and then returns the pool's free memory to it.
  void release_cached() noexcept override;
  void add_usage(MemoryUsage& usage) const override;
  std::string describe() const override { return "DriverResource"; }

 private:
  const Device device_;
  std::atomic<int64_t> used_ = 0;
};

#if defined(__SANITIZE_ADDRESS__)
#define GPUARRAY_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GPUARRAY_ADDRESS_SANITIZER
#endif
#endif

// Allocates from the host's heap, and blocks of kLeastMapped bytes and more as pages of their own,
// huge ones from 4 MiB on where the system has them. It ignores streams, because the cpu's is
// always idle.
class HostResource final : public MemoryResource {
 public:
#ifdef GPUARRAY_ADDRESS_SANITIZER
  // The sanitizer sees into nothing but the heap, and only into what is freed at once.
  static constexpr int64_t kLeastMapped = INT64_MAX;
#else
  static constexpr int64_t kLeastMapped = int64_t{1} << 16;
#endif
  Device device() const override { return Device::cpu(); }
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  void add_usage(MemoryUsage& usage) const override { usage.used += used_; }
  std::string describe() const override { return "HostResource"; }

 private:
  std::atomic<int64_t> used_ = 0;
};

// Base of resources that have an upstream: passes everything on to it but allocate() and
// deallocate().
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

// What StatisticsResource counts, by parts of streams. A part has a share of the peak, within which
// it counts alone, so that threads on different streams write no common cache line. What is read is
// exact if no thread changes it meanwhile; the peak may miss up to 64 KiB a part after threads have
// raised it at once. Thread-safe.
class MemoryCounters {
 public:
  void add(int64_t nbytes, const Stream& stream) {
    Part& part = part_of(stream);
    ++part.allocations;
    if (part.bytes.fetch_add(nbytes) + nbytes > part.share.load()) [[unlikely]]
      divide_peak();
  }
  void subtract(int64_t nbytes, const Stream& stream) {
    Part& part = part_of(stream);
    part.bytes -= nbytes;
    --part.allocations;
  }
  MemoryStatistics read();

 private:
  static constexpr int64_t kNoShare = INT64_MIN;
  struct alignas(64) Part {
    std::atomic<int64_t> bytes = 0;  // below 0 where blocks of other parts were freed
    std::atomic<int64_t> allocations = 0;
    std::atomic<int64_t> share = kNoShare;  // of the peak
  };

  Part& part_of(const Stream& stream) {
    const uint64_t bit = uint64_t{1} << stream.part();
    if ((used_.load() & bit) == 0) [[unlikely]]
      used_ |= bit;
    return parts_[stream.part()];
  }
  // Raises the peak to what is in use, if that is more, and divides what is left of it among the
  // parts.
  void divide_peak();

  Part parts_[Stream::kParts];
  std::atomic<uint64_t> used_ = 0;  // bits of the parts
  std::atomic<int64_t> peak_ = 0;
};

// Counts what its upstream gives out, and reports it to runtime/memory/watch.hpp. Several resources
// may share the counters.
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
  MemoryStatistics statistics() const { return counters_->read(); }

 private:
  const std::shared_ptr<MemoryCounters> counters_;
  const MemoryKind kind_;
};

// Takes at most `limit` bytes from its upstream, and throws OutOfMemory beyond.
class LimitResource final : public ForwardingResource {
 public:
  LimitResource(MemoryResourcePtr upstream, int64_t limit)
      : ForwardingResource(std::move(upstream)), limit_(limit) {}
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  void add_usage(MemoryUsage& usage) const override;
  std::string describe() const override { return "LimitResource"; }
  int64_t limit() const { return limit_; }
  // Sets the limit; what is in use beyond a lower limit stays.
  void set_limit(int64_t limit) { limit_ = limit; }

 private:
  std::atomic<int64_t> limit_;
  std::atomic<int64_t> in_use_ = 0;
};

// Makes a pool: CachingResource over SegmentResource over `upstream`. It drops what it keeps for a
// stream before the stream is destroyed.
MemoryResourcePtr make_pool(MemoryResourcePtr upstream);

// Throws OutOfMemory with how much was asked for, used, cached and free, and the limit.
[[noreturn]] void throw_out_of_memory(Device device, int64_t nbytes,
                                      int64_t limit = MemoryUsage::kNoLimit);
// Formats a number of bytes: "512 bytes", "1.0 GiB".
std::string bytes_text(int64_t nbytes);
// Parses "4GiB", "512 MB", "80%" (of `total`) or a number of bytes. Throws ValueError, whose text
// begins with `what`.
int64_t parse_bytes(const std::string& text, int64_t total, const std::string& what);

}  // namespace gpuarray
