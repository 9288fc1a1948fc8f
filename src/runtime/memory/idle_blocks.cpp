// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/memory/idle_blocks.hpp"

#include <algorithm>
#include <bit>
#include <ranges>

#include "core/divide.hpp"
#include "core/error.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/stream/main_stream.hpp"
#include "runtime/stream/synchronize.hpp"

namespace gpuarray {
namespace {

constexpr int64_t kGranule = 512;
constexpr int64_t kLargeStep = int64_t{2} << 20;
// The largest size that is rounded to a quarter of a power of two.
constexpr int64_t kLargest = int64_t{32} << 20;
// Blocks of one size that are asked for before a new one is allocated.
constexpr size_t kLookAt = 4;

}  // namespace

int64_t rounded_bytes(int64_t nbytes) {
  if (nbytes <= kGranule) return kGranule;
  int64_t step = kLargeStep;
  if (nbytes <= kLargest) {
    const int shift = std::bit_width(static_cast<uint64_t>(nbytes - 1)) - 3;
    step = std::max(kGranule, int64_t{1} << shift);
  }
  if (nbytes > INT64_MAX - step) return nbytes;
  return round_up(nbytes, step);
}

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
    quietly([&] { finish(stream.device()); });
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
      quietly([&] { block.uses->wait(); });
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
