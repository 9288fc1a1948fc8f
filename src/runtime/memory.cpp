// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/memory.hpp"

#include <array>
#include <mutex>

#include "runtime/device.hpp"
#include "runtime/memory_cuda.hpp"
#include "runtime/memory_host.hpp"
#include "runtime/memory_statistics.hpp"

namespace gpuarray {
namespace {

constexpr int kMaxDevices = 64;

struct DeviceMemory {
  std::once_flag once;
  std::shared_ptr<StatisticsResource> counted;
  std::shared_ptr<MemoryResource> resource;
};

// Never destroyed: arrays may be freed while the process ends.
DeviceMemory& memory_of(Device device) {
  static auto& all = *new std::array<DeviceMemory, kMaxDevices + 1>;
  require_device(device);
  DeviceMemory& memory = all[static_cast<size_t>(device.is_cpu() ? kMaxDevices : device.index)];
  std::call_once(memory.once, [&] {
    std::shared_ptr<MemoryResource> upstream;
    if (device.is_cpu())
      upstream = std::make_shared<HostResource>();
    else
      upstream = std::make_shared<CudaResource>(device);
    memory.counted = std::make_shared<StatisticsResource>(device, upstream);
    memory.resource = memory.counted;
  });
  return memory;
}

}  // namespace

const std::shared_ptr<MemoryResource>& current_resource(Device device) {
  return memory_of(device).resource;
}

MemoryStatistics memory_statistics(Device device) {
  return memory_of(device).counted->statistics();
}

}  // namespace gpuarray
