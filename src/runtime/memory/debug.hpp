// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/fork.hpp"
#include "runtime/memory/resources.hpp"

namespace gpuarray {

// A block in use and the line that allocated it.
struct GuardedBlock {
  const void* data;
  int64_t nbytes;
  uintptr_t stream;  // the CUstream that it was allocated on
  std::string site;  // "file.py:12", or "" if not known
};

// Finds misuse of memory. It writes guard bytes before and after each block and checks them when
// the block is freed, overwrites freed memory with 0xCB, and refuses to free a block twice or one
// that it has not allocated. The last 16 MiB freed are kept from reuse, and checked for writes
// before they go upstream. Findings are reported by report_memory_error(), because frees cannot
// throw. A free waits for the stream's work.
class DebugResource final : public ForwardingResource {
 public:
  using ForwardingResource::ForwardingResource;
  ~DebugResource() override;
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  void release_cached() noexcept override;
  void add_usage(MemoryUsage& usage) const override;
  std::string describe() const override { return "DebugResource"; }
  // Returns the blocks in use, in no order.
  std::vector<GuardedBlock> live_blocks() const;

 private:
  // A freed block that is kept from reuse. All its bytes are 0xCB, and no work on it is pending.
  struct FreedBlock {
    GuardedBlock block;
    std::string freed_at;
  };

  // Allocates upstream, and frees what is kept if that is out of memory.
  void* allocate_upstream(int64_t nbytes, const Stream& stream);
  // Adds a block to those in use.
  void remember(GuardedBlock block);
  // Removes the block from those in use and returns it. Reports a block that is not in use, and
  // returns it with size 0.
  GuardedBlock take(void* data, int64_t nbytes, const std::string& site);
  // Reports guard bytes of the block that were overwritten.
  void check_guards(const GuardedBlock& block, const Stream& stream) const;
  // Keeps a freed block; returns false for one that is too large.
  bool keep_from_reuse(FreedBlock freed, const Stream& stream);
  // Checks and frees the oldest kept blocks until at most `most` bytes are kept; returns whether it
  // freed any.
  bool release_kept(int64_t most, const Stream& stream) noexcept;
  void release_all_kept() noexcept;

  mutable HeldAtFork mutex_;
  std::unordered_map<const void*, GuardedBlock> live_ GUARDED_BY(mutex_);
  // The last blocks freed; `site` is the line that freed them.
  std::deque<GuardedBlock> freed_ GUARDED_BY(mutex_);
  std::deque<FreedBlock> kept_ GUARDED_BY(mutex_);
  int64_t kept_bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace gpuarray
