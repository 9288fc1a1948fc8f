// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/transfer/staging.hpp"
#include "runtime/transfer/staging_lane.hpp"

namespace gpuarray {

using StagingLanes = std::vector<std::unique_ptr<StagingLane>>;

// Lends lanes to copies, which run at once as long as there are lanes; made as they are needed.
class StagingPool {
 public:
  // 1 to `wanted` lanes of the settings' chunk; waits while all are lent. None if no memory can be
  // locked. A context must be current.
  StagingLanes take(const StagingSettings& settings, int wanted);
  void give_back(StagingLanes lanes) noexcept;

 private:
  void drop_unfit(const StagingSettings& settings);

  std::mutex mutex_;
  std::condition_variable returned_;
  StagingLanes idle_;
  int lent_ = 0;
};

// The process's pool. Never destroyed: its threads end with the process.
StagingPool& staging_pool();

}  // namespace gpuarray
