// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/staging_pool.hpp"

#include <iterator>

#include "core/error.hpp"

namespace gpuarray {

// Lanes of another chunk, and those beyond the number of threads.
void StagingPool::drop_unfit(const StagingSettings& settings) {
  std::erase_if(idle_,
                [&](const auto& lane) { return lane->chunk_bytes() != settings.chunk_bytes; });
  while (!idle_.empty() && lent_ + static_cast<int>(idle_.size()) > settings.threads)
    idle_.pop_back();
}

StagingLanes StagingPool::take(const StagingSettings& settings, int wanted) {
  StagingLanes taken;
  std::unique_lock lock(mutex_);
  while (true) {
    drop_unfit(settings);
    while (static_cast<int>(taken.size()) < wanted && !idle_.empty()) {
      taken.push_back(std::move(idle_.back()));
      idle_.pop_back();
    }
    try {
      while (static_cast<int>(taken.size()) < wanted &&
             lent_ + static_cast<int>(taken.size()) < settings.threads)
        taken.push_back(std::make_unique<StagingLane>(settings.chunk_bytes));
    } catch (const OutOfMemory&) {
      // Fewer lanes do the same, slower.
    }
    if (!taken.empty() || lent_ == 0) break;
    returned_.wait(lock);
  }
  lent_ += static_cast<int>(taken.size());
  return taken;
}

void StagingPool::give_back(StagingLanes lanes) noexcept {
  {
    std::lock_guard lock(mutex_);
    lent_ -= static_cast<int>(lanes.size());
    std::move(lanes.begin(), lanes.end(), std::back_inserter(idle_));
  }
  returned_.notify_all();
}

StagingPool& staging_pool() {
  static StagingPool& pool = *new StagingPool;
  return pool;
}

}  // namespace gpuarray
