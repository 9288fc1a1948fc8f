// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <vector>

#include "runtime/memory/resources.hpp"

namespace gpuarray {

// The pool of the cpu device. It keeps freed blocks of HostResource::kLeastMapped bytes and more
// for requests of the same rounded size, because most of the cost of a fresh one is the first touch
// of its pages. At most `most_kept` bytes in kMostBlocks blocks are kept; beyond, the oldest go
// upstream. Smaller blocks go there at once, since the C library keeps them. A child of fork may
// use it, whatever the parent's threads were doing.
class HostPoolResource final : public ForwardingResource {
 public:
  static constexpr size_t kMostBlocks = 256;

  HostPoolResource(MemoryResourcePtr upstream, int64_t most_kept)
      : ForwardingResource(std::move(upstream)), most_kept_(most_kept) {
    kept_.reserve(kMostBlocks);
  }
  ~HostPoolResource() override { release_blocks(); }
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  void add_usage(MemoryUsage& usage) const override;
  void release_cached() noexcept override;
  std::string describe() const override { return "HostPoolResource"; }

 private:
  struct Block {
    void* data;
    int64_t nbytes;
  };

  // Returns the newest kept block of this size, null if there is none.
  void* take(int64_t nbytes);
  // Keeps the block if there is room for it. Otherwise it takes out the oldest one, which the
  // caller gives back before it tries again.
  std::optional<Block> keep(Block block) noexcept;
  // Takes out the oldest kept block. The caller holds the lock.
  Block take_oldest();
  // Gives all kept blocks back upstream; returns whether there were any.
  bool release_blocks() noexcept;

  const int64_t most_kept_;
  std::vector<Block> kept_;  // the oldest first
  int64_t cached_ = 0;
};

}  // namespace gpuarray
