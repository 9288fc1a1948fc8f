// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <mutex>
#include <vector>

#include "runtime/memory/resources.hpp"
#include "runtime/stream/stream_order.hpp"

namespace gpuarray {

// Keeps freed blocks of up to 1 MiB for reuse on the stream that they were freed on, by size
// classes; other streams' and larger ones go upstream.
class CachingResource final : public ForwardingResource {
 public:
  explicit CachingResource(MemoryResourcePtr upstream,
                           StreamOrderPtr order = std::make_shared<StreamOrder>())
      : ForwardingResource(std::move(upstream)),
        device_(upstream_->device()),
        order_(std::move(order)) {}
  ~CachingResource() override { release_blocks(); }
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  void forget(const Stream& stream) noexcept override;
  void release_cached() noexcept override;
  void add_usage(MemoryUsage& usage) const override;
  std::string describe() const override { return "PoolResource"; }
  // The segments' is ours: together they are one pool.
  MemoryResourcePtr upstream() const override { return upstream_->upstream(); }

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
  static int64_t bytes_of(const StreamBlocks& blocks);
  int64_t cached_bytes_here() const;
  // Upstream; true if there were any.
  bool release_blocks() noexcept;
  void give_back(const StreamBlocks& blocks, const Stream& stream) noexcept;

  const Device device_;
  const StreamOrderPtr order_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<StreamBlocks>> streams_;
  int64_t cached_ = 0;
};

}  // namespace gpuarray
