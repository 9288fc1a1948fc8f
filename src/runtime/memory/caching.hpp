// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "core/fork.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/stream/stream_order.hpp"

namespace gpuarray {

// The cache in front of a pool's segments. It keeps freed blocks of up to 1 MiB, at most 64 MiB in
// all, for reuse on the stream that they were freed on, by size class. Larger blocks and those of
// borrowed streams go upstream. Threads on different streams rarely take the same lock. Together
// with SegmentResource it is what users see as a PoolResource.
class CachingResource final : public ForwardingResource {
 public:
  explicit CachingResource(MemoryResourcePtr upstream,
                           StreamOrderPtr order = std::make_shared<StreamOrder>())
      : ForwardingResource(std::move(upstream)),
        device_(upstream_->device()),
        order_(std::move(order)) {
    // What holds the mutexes of a CUDA device calls the driver, for which fork() cannot wait.
    if (device_.is_cpu())
      for (Part& part : parts_) part.mutex.hold();
  }
  ~CachingResource() override { release_blocks(); }
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  void forget(const Stream& stream) noexcept override;
  void release_cached() noexcept override;
  void add_usage(MemoryUsage& usage) const override;
  std::string describe() const override { return "PoolResource"; }
  // Skips the segments, which are part of the same pool.
  MemoryResourcePtr upstream() const override { return upstream_->upstream(); }

 private:
  static constexpr int kClasses = 40;
  struct StreamBlocks {
    const Stream* stream = nullptr;
    std::vector<void*> classes[kClasses];
  };
  // The streams of one Stream::part().
  struct alignas(64) Part {
    mutable HeldAtFork mutex{false};
    std::vector<std::unique_ptr<StreamBlocks>> streams GUARDED_BY(mutex);
    int64_t room GUARDED_BY(mutex) = 0;  // bytes that the cache may keep in addition
  };

  // Returns whether blocks of this size and stream are kept at all.
  bool is_cached(int64_t nbytes, const Stream& stream) const;
  // Returns a kept block, null if there is none.
  void* take(int64_t nbytes, const Stream& stream);
  // Keeps a freed block; returns false if there is no room for it.
  bool keep(void* data, int64_t nbytes, const Stream& stream) noexcept;
  // Makes room for a block of so many bytes; returns false if all parts together keep too much.
  bool make_room(Part& part, int64_t nbytes) REQUIRES(part.mutex);
  // Returns the blocks of a stream, and makes an empty set at its first use.
  static StreamBlocks& blocks_of(Part& part, const Stream& stream) REQUIRES(part.mutex);
  // Returns the bytes that are kept for one stream.
  static int64_t bytes_of(const StreamBlocks& blocks);
  int64_t cached_bytes_here() const;
  // Gives all kept blocks back upstream; returns whether there were any.
  bool release_blocks() noexcept;
  // Frees the blocks upstream, after the work queued on `stream`.
  void give_back(const StreamBlocks& blocks, const Stream& stream) noexcept;

  const Device device_;
  const StreamOrderPtr order_;
  Part parts_[Stream::kParts];
  std::atomic<int64_t> granted_ = 0;  // bytes that the parts keep or have room for
};

}  // namespace gpuarray
