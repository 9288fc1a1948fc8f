// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/memory_resources.hpp"

namespace gpuarray {

// A block in use, and the line that allocated it.
struct GuardedBlock {
  const void* data;
  int64_t nbytes;
  uintptr_t stream;  // the CUstream it was allocated on
  std::string site;  // "file.py:12", or ""
};

// Puts known bytes before and after each block and looks at them when it is freed, overwrites what
// is freed with 0xCB, and refuses what is freed twice or was not allocated here. What it finds is
// reported (report_memory_error), as frees cannot throw. A free waits for the stream's work.
class DebugResource final : public ForwardingResource {
 public:
  using ForwardingResource::ForwardingResource;
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  std::string describe() const override { return "DebugResource"; }
  // Those in use, in no order.
  std::vector<GuardedBlock> live_blocks() const;

 private:
  void remember(GuardedBlock block);
  // Forgets the block; reports one that is not in use, with size 0.
  GuardedBlock take(void* data, int64_t nbytes);
  void check_guards(const GuardedBlock& block, const Stream& stream) const;

  mutable std::mutex mutex_;
  std::unordered_map<const void*, GuardedBlock> live_;
  std::deque<GuardedBlock> freed_;  // the last ones; `site` is that of the free
};

}  // namespace gpuarray
