// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/buffer/graph_memory.hpp"

#include "core/thread_safety.hpp"
#include "runtime/buffer/capture.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/driver/driver_error.hpp"

namespace gpuarray {

GraphMemory::GraphMemory(std::shared_ptr<MemoryResource> upstream, Device device)
    : upstream_(std::move(upstream)), home_(create_stream(device)) {
  home_->set_awaits_graph_launch(true);
}

GraphMemory::~GraphMemory() {
  if (driver_end.load() != nullptr) return;
  if (is_kept_) {
    report_kept(device(), "memory of a graph");
    return;
  }
  for (const auto& [data, block] : blocks_) upstream_->deallocate(data, block.nbytes, *home_);
}

// Returns a free block of the stream of which no more than half is wasted, null if there is none.
void* GraphMemory::take(int64_t nbytes, const Stream& stream) {
  const LockGuard lock(mutex_);
  std::multimap<int64_t, void*>& kept = free_[&stream];
  const auto found = kept.lower_bound(nbytes);
  if (found == kept.end() || found->first / 2 > nbytes) return nullptr;
  void* data = found->second;
  kept.erase(found);
  return data;
}

void* GraphMemory::allocate(int64_t nbytes, const Stream& stream) {
  if (void* data = take(nbytes, stream)) return data;
  void* data = allocate_for_good(nbytes);
  const LockGuard lock(mutex_);
  blocks_[data].stream = &stream;
  return data;
}

void* GraphMemory::allocate_for_good(int64_t nbytes) {
  void* data = upstream_->allocate(nbytes, *home_);
  const LockGuard lock(mutex_);
  blocks_[data] = {nbytes, home_.get()};
  return data;
}

void GraphMemory::deallocate(void* data, int64_t, const Stream& stream) noexcept {
  std::shared_ptr<Capture> capture;
  {
    const LockGuard lock(mutex_);
    capture = capture_.lock();
  }
  quietly([&] {
    // After the capture the block stays with the graph, whose launches use it again; it only has to
    // outlive what has used it.
    if (capture == nullptr) {
      if (!home_->wait_or_block(stream)) keep_for_good();
      return;
    }
    const StreamPtr last = capture->forget(data);
    const LockGuard lock(mutex_);
    const Block& block = blocks_.at(data);
    free_[last == nullptr ? block.stream : last.get()].emplace(block.nbytes, data);
  });
}

void GraphMemory::begin(const std::shared_ptr<Capture>& capture) { capture_ = capture; }

void GraphMemory::end() noexcept {
  const LockGuard lock(mutex_);
  capture_.reset();
  free_.clear();
  home_->set_awaits_graph_launch(false);
}

}  // namespace gpuarray
