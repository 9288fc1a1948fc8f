// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/transfer/staging_pool.hpp"

#include <algorithm>
#include <iterator>

#include "core/error.hpp"
#include "core/thread_safety.hpp"

namespace gpuarray {

// Destroys idle lanes that have another chunk size, or exceed the number of threads.
void StagingPool::drop_unfit(const StagingSettings& settings) {
  std::erase_if(idle_,
                [&](const auto& lane) { return lane->chunk_bytes() != settings.chunk_bytes; });
  while (!idle_.empty() && lent_ + static_cast<int>(idle_.size()) > settings.threads)
    idle_.pop_back();
}

namespace {

// Adds up to `count` lanes and returns how many. There are fewer when the system locks no more
// memory; they then copy everything, more slowly.
int make(StagingLanes& lanes, int count, int64_t chunk_bytes) {
  int made = 0;
  try {
    for (; made < count; ++made) lanes.push_back(std::make_unique<StagingLane>(chunk_bytes));
  } catch (const Error&) {
  }
  return made;
}

}  // namespace

StagingLanes StagingPool::take(const StagingSettings& settings, int wanted) {
  StagingLanes taken;
  UniqueLock lock(mutex_);
  while (true) {
    drop_unfit(settings);
    while (static_cast<int>(taken.size()) < wanted && !idle_.empty()) {
      taken.push_back(std::move(idle_.back()));
      idle_.pop_back();
    }
    const int missing = wanted - static_cast<int>(taken.size());
    const int allowed = settings.threads - lent_ - static_cast<int>(taken.size());
    const int made = std::clamp(missing, 0, std::max(allowed, 0));
    lent_ += static_cast<int>(taken.size()) + made;
    lock.unlock();
    const int failed = made - make(taken, made, settings.chunk_bytes);
    lock.lock();
    lent_ -= failed;
    if (!taken.empty() || lent_ == 0) return taken;
    lock.wait(returned_);
  }
}

void StagingPool::give_back(StagingLanes lanes) noexcept {
  {
    const LockGuard lock(mutex_);
    lent_ -= static_cast<int>(lanes.size());
    std::erase_if(lanes, [](const auto& lane) { return lane->is_broken(); });
    std::move(lanes.begin(), lanes.end(), std::back_inserter(idle_));
  }
  returned_.notify_all();
}

namespace {

StagingPool& pool = *new StagingPool;  // never destroyed, because threads may use it

}  // namespace

StagingPool& staging_pool() { return pool; }

}  // namespace gpuarray
