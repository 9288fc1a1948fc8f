// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/memory_statistics.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "runtime/device.hpp"

namespace gpuarray {
namespace {

// "1073741824 bytes (1.0 GiB)".
std::string bytes_text(int64_t bytes) {
  const char* units[] = {"KiB", "MiB", "GiB", "TiB"};
  std::string text = std::to_string(bytes) + " bytes";
  if (bytes < 1024) return text;
  double value = static_cast<double>(bytes) / 1024;
  int unit = 0;
  for (; value >= 1024 && unit < 3; ++unit) value /= 1024;
  char rounded[32];
  std::snprintf(rounded, sizeof(rounded), " (%.1f %s)", value, units[unit]);
  return text + rounded;
}

}  // namespace

StatisticsResource::StatisticsResource(Device device, std::shared_ptr<MemoryResource> upstream)
    : device_(device), upstream_(std::move(upstream)) {}

void* StatisticsResource::allocate(int64_t nbytes, const Stream& stream) {
  void* data = nullptr;
  try {
    data = upstream_->allocate(nbytes, stream);
  } catch (const OutOfMemory&) {
    MemoryInfo memory = memory_info(device_);
    throw OutOfMemory(to_string(device_) + ": out of memory: asked for " + bytes_text(nbytes) +
                      ", " + bytes_text(statistics().bytes_in_use) + " in use by arrays, " +
                      bytes_text(memory.free) + " free of " + bytes_text(memory.total));
  }
  std::lock_guard lock(mutex_);
  statistics_.bytes_in_use += nbytes;
  statistics_.peak_bytes = std::max(statistics_.peak_bytes, statistics_.bytes_in_use);
  ++statistics_.allocations;
  return data;
}

void StatisticsResource::deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept {
  upstream_->deallocate(data, nbytes, stream);
  std::lock_guard lock(mutex_);
  statistics_.bytes_in_use -= nbytes;
  --statistics_.allocations;
}

MemoryStatistics StatisticsResource::statistics() const {
  std::lock_guard lock(mutex_);
  return statistics_;
}

}  // namespace gpuarray
