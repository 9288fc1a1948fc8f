// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <atomic>
#include <optional>
#include <string>

#include "core/device_name.hpp"
#include "core/environment.hpp"
#include "core/error.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/blocking.hpp"

namespace gpuarray {
namespace {

constexpr int kUnset = -2;
constexpr int kCpu = -1;

// The process's choice: the index of a CUDA device, kCpu or kUnset.
std::atomic<int> process_device = kUnset;
thread_local ThreadDevice thread_device;

Device decode(int code) { return code == kCpu ? Device::cpu() : Device::cuda(code); }

std::optional<Device> read_variable() {
  const std::string value = text_variable("GPUARRAY_DEVICE");
  if (value.empty()) return std::nullopt;
  try {
    Device device = parse_device(value);
    require_device(device);
    return device;
  } catch (const DeviceError& error) {
    throw DeviceError("GPUARRAY_DEVICE=" + value + ": " + error.what());
  }
}

}  // namespace

Device default_device(bool* fell_back) {
  if (fell_back != nullptr) *fell_back = false;
  if (thread_device.set) return thread_device.device;
  if (int code = process_device.load(); code != kUnset) return decode(code);
  // The variable is read once; a bad value is reported at every use. Reading it may load the driver
  // and release the GIL, for which other threads could wait at a static's guard.
  static constinit MadeOnce<std::optional<Device>> variable;
  if (const std::optional<Device>& device = variable.get(read_variable)) return *device;
  if (cuda_device_count() > 0) return Device::cuda(0);
  if (fell_back != nullptr) *fell_back = true;
  return Device::cpu();
}

void set_default_device(Device device) {
  require_device(device);
  process_device = device.is_cpu() ? kCpu : device.index;
}

Device default_cuda_device() {
  const Device device = default_device();
  return device.is_cpu() ? Device::cuda(0) : device;
}

ThreadDevice set_thread_device(ThreadDevice device) {
  if (device.set) require_device(device.device);
  ThreadDevice before = thread_device;
  thread_device = device;
  return before;
}

}  // namespace gpuarray
