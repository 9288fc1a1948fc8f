// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/memory/idle_blocks.hpp"

#include <algorithm>
#include <ranges>

#include "core/error.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/memory/block_sizes.hpp"
#include "runtime/stream/main_stream.hpp"
#include "runtime/stream/synchronize.hpp"

namespace gpuarray {
namespace {

// Blocks of one size that are asked for before a new one is allocated.
constexpr size_t kLookAt = 4;

}  // namespace

void* IdleBlocksResource::take(int64_t nbytes) {
  const BlockingLock lock(mutex_);
  auto found = blocks_.find(nbytes);
  if (found == blocks_.end()) return nullptr;
  std::vector<Block>& blocks = found->second;
  auto end = blocks.begin() + static_cast<std::ptrdiff_t>(std::min(blocks.size(), kLookAt));
  auto idle = std::find_if(blocks.begin(), end, [](auto& block) { return block.uses->done(); });
  if (idle == end) return nullptr;
  void* data = idle->data;
  blocks.erase(idle);
  if (blocks.empty()) blocks_.erase(found);
  cached_ -= nbytes;
  return data;
}

void* IdleBlocksResource::allocate(int64_t nbytes, const Stream& stream) {
  const int64_t rounded = rounded_bytes(nbytes);
  if (void* data = take(rounded)) return data;
  try {
    return upstream_->allocate(rounded, stream);
  } catch (const OutOfMemory&) {
    if (cached_bytes() == 0) throw;
  }
  release_cached();
  return upstream_->allocate(rounded, stream);
}

void IdleBlocksResource::deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept {
  const int64_t rounded = rounded_bytes(nbytes);
  std::unique_ptr<PendingWork> uses;
  quietly([&] { uses = std::make_unique<PendingWork>(stream); });
  if (uses == nullptr) {
    if (!try_finish(stream.device())) return report_kept(stream.device(), bytes_text(rounded));
    return upstream_->deallocate(data, rounded, stream);
  }
  Blocks surplus;
  quietly([&] {
    BlockingLock lock(mutex_);
    blocks_[rounded].push_back({data, stream.device(), std::move(uses)});
    cached_ += rounded;
    surplus = take_surplus(lock);
  });
  give_back(surplus);
}

IdleBlocksResource::Blocks IdleBlocksResource::take_surplus(BlockingLock&) {
  Blocks surplus;
  for (auto& [nbytes, blocks] : std::views::reverse(blocks_)) {
    if (cached_ <= most_kept_) break;
    std::erase_if(blocks, [&](Block& block) {
      bool goes = false;
      quietly([&] {
        if (cached_ <= most_kept_ || !block.uses->done()) return;
        surplus[nbytes].push_back(std::move(block));
        cached_ -= nbytes;
        goes = true;
      });
      return goes;
    });
  }
  std::erase_if(blocks_, [](auto& entry) { return entry.second.empty(); });
  return surplus;
}

void IdleBlocksResource::give_back(const Blocks& blocks) noexcept {
  for (const auto& [nbytes, kept] : blocks) {
    for (const Block& block : kept) {
      bool done = false;
      quietly([&] {
        block.uses->wait();
        done = true;
      });
      if (!done && !try_finish(block.device)) {
        report_kept(block.device, bytes_text(nbytes));
        continue;
      }
      quietly([&] { upstream_->deallocate(block.data, nbytes, *main_stream(block.device)); });
    }
  }
}

void IdleBlocksResource::add_usage(MemoryUsage& usage) const {
  upstream_->add_usage(usage);
  const BlockingLock lock(mutex_);
  usage.cached += cached_;
  for (const auto& [nbytes, blocks] : blocks_) {
    usage.free_blocks += static_cast<int64_t>(blocks.size());
    usage.largest_free_block = std::max(usage.largest_free_block, nbytes);
  }
}

void IdleBlocksResource::release_cached() noexcept {
  Blocks blocks;
  {
    const BlockingLock lock(mutex_);
    std::swap(blocks, blocks_);
    for (auto& [nbytes, kept] : blocks) cached_ -= nbytes * static_cast<int64_t>(kept.size());
  }
  give_back(blocks);
}

}  // namespace gpuarray
