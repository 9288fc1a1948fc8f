// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/thread_safety.hpp"
#include "runtime/memory/memory.hpp"

namespace gpuarray {

class Capture;

// The memory of one graph. During the capture, blocks freed on a stream are given out again on that
// stream. After it nothing is given out, because each launch of the graph writes the memory again.
// All blocks go back upstream with this resource.
class GraphMemory final : public MemoryResource {
 public:
  // Takes memory from `upstream`, for work on a stream that it creates. Throws CudaError.
  GraphMemory(std::shared_ptr<MemoryResource> upstream, Device device);
  ~GraphMemory() override;

  Device device() const override { return home_->device(); }
  void* allocate(int64_t nbytes, const Stream& stream) override;
  // Keeps the block: for reuse during the capture, after it until the end of this resource.
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  // Returns memory that is never given out again, for work on home().
  void* allocate_for_good(int64_t nbytes);

  void add_usage(MemoryUsage& usage) const override { upstream_->add_usage(usage); }
  std::string describe() const override { return "GraphMemory"; }
  MemoryResourcePtr upstream() const override { return upstream_; }

  // Never gives the blocks back, because work may use them that home() does not wait for.
  void keep_for_good() noexcept { is_kept_ = true; }

  // Note that the capture begins or ends.
  void begin(const std::shared_ptr<Capture>& capture);
  void end() noexcept;

  // Returns the stream on which all blocks were allocated, and after whose work they go back.
  const StreamPtr& home() const { return home_; }

 private:
  struct Block {
    int64_t nbytes;
    const Stream* stream;  // stream that it was given out on
  };

  // Returns a freed block of the stream, null if none fits.
  void* take(int64_t nbytes, const Stream& stream);

  const std::shared_ptr<MemoryResource> upstream_;
  const StreamPtr home_;
  Mutex mutex_;
  std::weak_ptr<Capture> capture_;
  std::unordered_map<void*, Block> blocks_ GUARDED_BY(mutex_);
  std::map<const Stream*, std::multimap<int64_t, void*>> free_ GUARDED_BY(mutex_);
  std::atomic<bool> is_kept_ = false;
};

}  // namespace gpuarray
