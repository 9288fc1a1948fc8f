// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/memory/resources.hpp"

namespace gpuarray {

// A block in use, and the line that allocated it.
struct GuardedBlock {
  const void* data;
  int64_t nbytes;
  uintptr_t stream;  // the CUstream it was allocated on
  std::string site;  // "file.py:12", or ""
};

// Puts known bytes before and after each block and looks at them when it is freed, overwrites what
// is freed with 0xCB, and refuses what is freed twice or was not allocated here. The last 16 MiB
// freed are kept from reuse, and looked at when they leave. What it finds is reported
// (report_memory_error), as frees cannot throw. A free waits for the stream's work.
class DebugResource final : public ForwardingResource {
 public:
  using ForwardingResource::ForwardingResource;
  ~DebugResource() override;
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  void release_cached() noexcept override;
  void add_usage(MemoryUsage& usage) const override;
  std::string describe() const override { return "DebugResource"; }
  // Those in use, in no order.
  std::vector<GuardedBlock> live_blocks() const;

 private:
  // A freed block, all poison, on which no work is pending.
  struct FreedBlock {
    GuardedBlock block;
    std::string freed_at;
  };

  void* allocate_upstream(int64_t nbytes, const Stream& stream);
  void remember(GuardedBlock block);
  // Forgets the block; reports one that is not in use, with size 0.
  GuardedBlock take(void* data, int64_t nbytes, const std::string& site);
  void check_guards(const GuardedBlock& block, const Stream& stream) const;
  // False for a block that is too large.
  bool keep_from_reuse(FreedBlock freed, const Stream& stream);
  // Gives upstream what is kept beyond `most` bytes, the oldest first; whether there was any.
  bool let_go(int64_t most, const Stream& stream) noexcept;
  void let_all_go() noexcept;

  mutable std::mutex mutex_;
  std::unordered_map<const void*, GuardedBlock> live_;
  std::deque<GuardedBlock> freed_;  // the last ones; `site` is that of the free
  std::deque<FreedBlock> kept_;
  int64_t kept_bytes_ = 0;
};

}  // namespace gpuarray
