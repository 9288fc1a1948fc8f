// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/memory.hpp"

#include <cstdio>

#include "core/error.hpp"
#include "runtime/cuda_device.hpp"
#include "runtime/memory_resources.hpp"

namespace gpuarray {
namespace {

struct Resources {
  std::shared_ptr<StatisticsResource> statistics;
  std::shared_ptr<MemoryResource> current;
};

Resources make(std::shared_ptr<MemoryResource> source, Device device) {
  const MemoryKind kind = device.is_cpu() ? MemoryKind::host : MemoryKind::device;
  auto statistics = std::make_shared<StatisticsResource>(std::move(source), device, kind);
  return {statistics, statistics};
}

const Resources& resources(Device device) {
  if (device.is_cpu()) {
    static const Resources& host =
        *new Resources(make(std::make_shared<HostResource>(), Device::cpu()));
    return host;
  }
  static PerDevice<Resources> all;
  return all.get(device.index, [](int index) {
    auto driver = std::make_shared<DriverResource>(Device::cuda(index));
    return make(std::make_shared<CachingResource>(Device::cuda(index), std::move(driver)),
                Device::cuda(index));
  });
}

}  // namespace

const std::shared_ptr<MemoryResource>& current_resource(Device device) {
  return resources(device).current;
}

MemoryStatistics memory_statistics(Device device) {
  return resources(device).statistics->statistics();
}

std::string bytes_text(int64_t nbytes) {
  static const char* const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (nbytes < 1024) return std::to_string(nbytes) + " bytes";
  double value = static_cast<double>(nbytes) / 1024;
  int unit = 0;
  for (; value >= 1024; value /= 1024) ++unit;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", value, units[unit]);
  return text;
}

void throw_out_of_memory(Device device, int64_t nbytes) {
  MemoryInfo memory = memory_info(device);
  throw OutOfMemory(to_string(device) + ": out of memory: asked for " + std::to_string(nbytes) +
                    " bytes (" + bytes_text(nbytes) + "), " +
                    bytes_text(memory_statistics(device).bytes_in_use) + " in use by arrays, " +
                    bytes_text(memory.free) + " free of " + bytes_text(memory.total) + " total");
}

}  // namespace gpuarray
