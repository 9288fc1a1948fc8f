// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/memory/resources.hpp"
#include "runtime/stream/pending_work.hpp"

namespace gpuarray {

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

}  // namespace gpuarray
