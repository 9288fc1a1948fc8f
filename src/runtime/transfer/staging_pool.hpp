// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <condition_variable>
#include <memory>
#include <vector>

#include "core/thread_safety.hpp"
#include "runtime/transfer/staging.hpp"
#include "runtime/transfer/staging_lane.hpp"

namespace gpuarray {

using StagingLanes = std::vector<std::unique_ptr<StagingLane>>;

// Lends lanes to copies, and creates lanes as they are needed. Several copies run at the same time
// as long as there are lanes. Thread-safe.
class StagingPool {
 public:
  // Returns 1 to `wanted` lanes of the settings' chunk size, and waits while all are lent. Returns
  // none if no memory can be locked. A context must be current.
  StagingLanes take(const StagingSettings& settings, int wanted);
  // Takes lanes back, and wakes copies that wait for one.
  void give_back(StagingLanes lanes) noexcept;

 private:
  void drop_unfit(const StagingSettings& settings) REQUIRES(mutex_);

  Mutex mutex_;
  std::condition_variable returned_;
  StagingLanes idle_ GUARDED_BY(mutex_);
  int lent_ GUARDED_BY(mutex_) = 0;
};

// Returns the process's pool. It is never destroyed; its threads end with the process.
StagingPool& staging_pool();

}  // namespace gpuarray
