// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/thread_safety.hpp"
#include "runtime/driver/blocking.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/stream/pending_work.hpp"

namespace gpuarray {

// A pool of memory that the host may write to. A freed block is given out again, by size, only when
// the work that was queued before the free is done, because the host may write to its memory at
// once. Blocks go upstream only while more than `most_kept` bytes are kept.
class IdleBlocksResource final : public ForwardingResource {
 public:
  IdleBlocksResource(MemoryResourcePtr upstream, int64_t most_kept)
      : ForwardingResource(std::move(upstream)), most_kept_(most_kept) {}
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  void add_usage(MemoryUsage& usage) const override;
  std::string describe() const override { return "IdleBlocksResource"; }
  // Frees all kept blocks upstream, after waiting for their work.
  void release_cached() noexcept override;

 private:
  struct Block {
    void* data;
    Device device;  // device of the stream that it was freed on
    std::unique_ptr<PendingWork> uses;
  };
  using Blocks = std::map<int64_t, std::vector<Block>>;  // by size; of each size the oldest first

  // Returns a kept block whose work is done, null if there is none.
  void* take(int64_t nbytes);
  // Takes out blocks whose work is done, the largest first, while more than `most_kept_` bytes are
  // kept. The caller holds `lock`, and gives the blocks back when it has released it.
  Blocks take_surplus(BlockingLock& lock) REQUIRES(mutex_);
  // Frees the blocks upstream, after waiting for their work.
  void give_back(const Blocks& blocks) noexcept;

  const int64_t most_kept_;
  mutable Mutex mutex_;
  Blocks blocks_ GUARDED_BY(mutex_);
  int64_t cached_ GUARDED_BY(mutex_) = 0;
};

}  // namespace gpuarray
