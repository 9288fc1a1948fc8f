// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "runtime/memory/memory.hpp"

namespace gpuarray {

class Capture;

// The memory of one graph. While it is captured, blocks freed on a stream are given out again on
// that stream; afterwards it gives out nothing, as each launch writes it anew. It goes back
// upstream with the resource.
class GraphMemory final : public MemoryResource {
 public:
  // Takes memory from `upstream` that is ready on a stream of its own.
  GraphMemory(std::shared_ptr<MemoryResource> upstream, Device device);
  ~GraphMemory() override;

  Device device() const override { return home_->device(); }
  void* allocate(int64_t nbytes, const Stream& stream) override;
  // Kept for reuse during the capture, else kept until the end.
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  // Memory that is never given out again, ready on home().
  void* allocate_for_good(int64_t nbytes);

  void add_usage(MemoryUsage& usage) const override { upstream_->add_usage(usage); }
  std::string describe() const override { return "GraphMemory"; }
  MemoryResourcePtr upstream() const override { return upstream_; }

  void begin(const std::shared_ptr<Capture>& capture);
  void end() noexcept;

  // All memory is ready on it, and goes back after the work queued on it.
  const StreamPtr& home() const { return home_; }

 private:
  struct Block {
    int64_t nbytes;
    const Stream* stream;  // that it was given out on
  };

  void* take(int64_t nbytes, const Stream& stream);

  const std::shared_ptr<MemoryResource> upstream_;
  const StreamPtr home_;
  std::mutex mutex_;
  std::weak_ptr<Capture> capture_;
  std::unordered_map<void*, Block> blocks_;
  std::map<const Stream*, std::multimap<int64_t, void*>> free_;
};

}  // namespace gpuarray
