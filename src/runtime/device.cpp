// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/device.hpp"

#include <unistd.h>

#include <array>
#include <mutex>

#include "core/error.hpp"
#include "runtime/context.hpp"
#include "runtime/driver.hpp"

namespace gpuarray {
namespace {

constexpr int kMaxDevices = 64;

// cuda.h, CUdevice_attribute.
constexpr int kMultiprocessorCount = 16;
constexpr int kComputeMajor = 75;
constexpr int kComputeMinor = 76;

int attribute(int device, int which) {
  int value = 0;
  GPUARRAY_CHECK(cuDeviceGetAttribute(&value, which, device));
  return value;
}

DeviceProperties read_properties(Device device) {
  DeviceProperties result;
  if (device.is_cpu()) {
    result.name = "cpu";
    result.total_memory = memory_info(device).total;
    return result;
  }
  int handle = 0;
  char name[256] = {};
  size_t total = 0;
  GPUARRAY_CHECK(cuDeviceGet(&handle, device.index));
  GPUARRAY_CHECK(cuDeviceGetName(name, sizeof(name) - 1, handle));
  GPUARRAY_CHECK(cuDeviceTotalMem(&total, handle));
  result.name = name;
  result.compute_major = attribute(handle, kComputeMajor);
  result.compute_minor = attribute(handle, kComputeMinor);
  result.multiprocessors = attribute(handle, kMultiprocessorCount);
  result.total_memory = static_cast<int64_t>(total);
  return result;
}

}  // namespace

int cuda_device_count() {
  static const int count = [] {
    int found = 0;
    if (const Driver* table = find_driver()) table->cuDeviceGetCount(&found);
    return found < kMaxDevices ? found : kMaxDevices;
  }();
  return count;
}

const std::string& cuda_absent_reason() { return driver_absent_reason(); }

void require_device(Device device) {
  if (device.is_cpu()) return;
  if (find_driver() == nullptr)
    throw DeviceError(to_string(device) + " does not exist: " + driver_absent_reason());
  if (device.index < 0 || device.index >= cuda_device_count())
    throw DeviceError(to_string(device) + " does not exist: this machine has " +
                      std::to_string(cuda_device_count()) + " CUDA device(s), from cuda:0");
}

void* primary_context(Device device) {
  static std::array<void*, kMaxDevices> contexts;
  static std::array<std::once_flag, kMaxDevices> once;
  require_device(device);
  auto index = static_cast<size_t>(device.index);
  std::call_once(once[index], [&] {
    int handle = 0;
    GPUARRAY_CHECK(cuDeviceGet(&handle, device.index));
    GPUARRAY_CHECK(cuDevicePrimaryCtxRetain(&contexts[index], handle));
  });
  return contexts[index];
}

const DeviceProperties& properties(Device device) {
  static std::array<DeviceProperties, kMaxDevices + 1> all;
  static std::array<std::once_flag, kMaxDevices + 1> once;
  require_device(device);
  auto slot = static_cast<size_t>(device.is_cpu() ? kMaxDevices : device.index);
  std::call_once(once[slot], [&] { all[slot] = read_properties(device); });
  return all[slot];
}

MemoryInfo memory_info(Device device) {
  if (device.is_cpu()) {
    int64_t page = sysconf(_SC_PAGESIZE);
    return {sysconf(_SC_AVPHYS_PAGES) * page, sysconf(_SC_PHYS_PAGES) * page};
  }
  DeviceGuard on(device);
  size_t free = 0, total = 0;
  GPUARRAY_CHECK(cuMemGetInfo(&free, &total));
  return {static_cast<int64_t>(free), static_cast<int64_t>(total)};
}

void synchronize(Device device) {
  if (device.is_cpu()) return;
  DeviceGuard on(device);
  GPUARRAY_CHECK(cuCtxSynchronize());
}

DeviceGuard::DeviceGuard(Device device) {
  if (device.is_cpu()) return;
  void* wanted = primary_context(device);
  GPUARRAY_CHECK(cuCtxGetCurrent(&previous_));
  if (previous_ == wanted) return;
  GPUARRAY_CHECK(cuCtxSetCurrent(wanted));
  switched_ = true;
}

DeviceGuard::~DeviceGuard() {
  if (switched_) find_driver()->cuCtxSetCurrent(previous_);
}

}  // namespace gpuarray
