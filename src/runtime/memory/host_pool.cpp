// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/memory/host_pool.hpp"

#include <algorithm>
#include <ranges>

#include "core/error.hpp"
#include "core/fork.hpp"
#include "core/thread_safety.hpp"
#include "runtime/memory/block_sizes.hpp"
#include "runtime/stream/main_stream.hpp"

namespace gpuarray {
namespace {

// One lock for all pools, held during fork, so that the child does not find it locked by a thread
// that it does not have. Whoever holds it waits for nothing else, not even for the GIL.
constinit Mutex pools_lock;

[[maybe_unused]] const int at_fork = hold_at_fork<pools_lock>();

bool is_pooled(int64_t nbytes) { return nbytes >= HostResource::kLeastMapped; }

// Returns the bytes that a block of `nbytes` is allocated with.
int64_t reserved_bytes(int64_t nbytes) {
  return is_pooled(nbytes) ? rounded_bytes(nbytes) : nbytes;
}

}  // namespace

void* HostPoolResource::take(int64_t nbytes) {
  const LockGuard lock(pools_lock);
  const auto newest_first = kept_ | std::views::reverse;
  const auto found = std::ranges::find(newest_first, nbytes, &Block::nbytes);
  if (found == newest_first.end()) return nullptr;
  void* data = found->data;
  kept_.erase(std::prev(found.base()));
  cached_ -= nbytes;
  return data;
}

HostPoolResource::Block HostPoolResource::take_oldest() {
  const Block oldest = kept_.front();
  kept_.erase(kept_.begin());
  cached_ -= oldest.nbytes;
  return oldest;
}

std::optional<HostPoolResource::Block> HostPoolResource::keep(Block block) noexcept {
  const LockGuard lock(pools_lock);
  if (kept_.size() == kMostBlocks || cached_ + block.nbytes > most_kept_) return take_oldest();
  kept_.push_back(block);
  cached_ += block.nbytes;
  return std::nullopt;
}

void* HostPoolResource::allocate(int64_t nbytes, const Stream& stream) {
  const int64_t reserved = reserved_bytes(nbytes);
  if (is_pooled(nbytes))
    if (void* data = take(reserved)) return data;
  do {
    try {
      return upstream_->allocate(reserved, stream);
    } catch (const OutOfMemory&) {  // tried again with what was kept; its text has the rounded size
    }
  } while (release_blocks());
  throw_out_of_memory(device(), nbytes, upstream_->usage().limit);
}

void HostPoolResource::deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept {
  const int64_t reserved = reserved_bytes(nbytes);
  if (!is_pooled(nbytes) || reserved > most_kept_)
    return upstream_->deallocate(data, reserved, stream);
  while (std::optional<Block> oldest = keep({data, reserved}))
    upstream_->deallocate(oldest->data, oldest->nbytes, stream);
}

bool HostPoolResource::release_blocks() noexcept {
  const Stream& stream = *main_stream(device());
  for (bool any = false;; any = true) {
    Block oldest;
    {
      const LockGuard lock(pools_lock);
      if (kept_.empty()) return any;
      oldest = take_oldest();
    }
    upstream_->deallocate(oldest.data, oldest.nbytes, stream);
  }
}

void HostPoolResource::release_cached() noexcept {
  release_blocks();
  upstream_->release_cached();
}

void HostPoolResource::add_usage(MemoryUsage& usage) const {
  upstream_->add_usage(usage);
  const LockGuard lock(pools_lock);
  usage.used -= cached_;
  usage.cached += cached_;
  usage.free_blocks += static_cast<int64_t>(kept_.size());
  for (const Block& block : kept_)
    usage.largest_free_block = std::max(usage.largest_free_block, block.nbytes);
}

}  // namespace gpuarray
