// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <mutex>

#include "runtime/memory.hpp"

namespace gpuarray {

// Counts what passes to and from `upstream`, and words its OutOfMemory with the counts.
class StatisticsResource final : public MemoryResource {
 public:
  StatisticsResource(Device device, std::shared_ptr<MemoryResource> upstream);
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  MemoryStatistics statistics() const;

 private:
  Device device_;
  std::shared_ptr<MemoryResource> upstream_;
  mutable std::mutex mutex_;
  MemoryStatistics statistics_{};
};

}  // namespace gpuarray
