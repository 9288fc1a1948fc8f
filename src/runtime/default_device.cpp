// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <cstdlib>
#include <mutex>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "runtime/device.hpp"

namespace gpuarray {
namespace {

std::mutex mutex;
std::optional<Device> process_device;
thread_local ThreadDevice thread_device;

std::optional<Device> device_of_environment() {
  const char* text = std::getenv("GPUARRAY_DEVICE");
  if (text == nullptr || *text == 0) return std::nullopt;
  try {
    Device device = parse_device(text);
    require_device(device);
    return device;
  } catch (const DeviceError& error) {
    throw DeviceError(std::string("GPUARRAY_DEVICE=") + text + ": " + error.what());
  }
}

}  // namespace

Device default_device(bool* fell_back) {
  if (fell_back != nullptr) *fell_back = false;
  if (thread_device.set) return thread_device.device;
  {
    std::lock_guard lock(mutex);
    if (process_device) return *process_device;
  }
  if (std::optional<Device> device = device_of_environment()) return *device;
  if (cuda_device_count() > 0) return Device::cuda(0);
  if (fell_back != nullptr) *fell_back = true;
  return Device::cpu();
}

void set_default_device(Device device) {
  require_device(device);
  std::lock_guard lock(mutex);
  process_device = device;
}

ThreadDevice set_thread_device(ThreadDevice device) {
  if (device.set) require_device(device.device);
  return std::exchange(thread_device, device);
}

}  // namespace gpuarray
