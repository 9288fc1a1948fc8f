// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/device/device.hpp"

#include <algorithm>

#include "core/build_config.hpp"
#include "core/error.hpp"
#include "core/gpu_archs.hpp"
#include "runtime/device/cuda_device.hpp"
#include "runtime/device/host_info.hpp"
#include "runtime/driver/driver.hpp"

namespace gpuarray {
namespace {

int attribute(CUdevice device, CUdevice_attribute name) {
  int value = 0;
  GPUARRAY_CHECK(cuDeviceGetAttribute(&value, name, device));
  return value;
}

DeviceProperties read_properties(int index) {
  CUdevice device = 0;
  char name[256] = "";
  size_t total = 0;
  GPUARRAY_CHECK(cuDeviceGet(&device, index));
  GPUARRAY_CHECK(cuDeviceGetName(name, sizeof name, device));
  GPUARRAY_CHECK(cuDeviceTotalMem(&total, device));
  const int major = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  const int minor = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  const int capability = 10 * major + minor;
  const BuildConfig& built = build_config();
  return {.name = name,
          .compute_major = major,
          .compute_minor = minor,
          .multiprocessors = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
          .total_memory = static_cast<int64_t>(total),
          .starts_early = capability >= 90 &&
                          (!built.cuda_built || runs_code_from(90, built.gpu_archs, capability))};
}

std::string devices_text(int count) {
  if (count == 1) return "the devices are cuda:0 and cpu";
  return "the devices are cuda:0 to cuda:" + std::to_string(count - 1) + " and cpu";
}

}  // namespace

int cuda_device_count() { return std::min(driver_state().devices, kMaxCudaDevices); }

const std::string& cuda_absent_reason() { return driver_state().reason; }

void require_device(Device device) {
  if (device.is_cpu()) return;
  int count = cuda_device_count();
  if (device.index >= 0 && device.index < count) return;
  if (count == 0)
    throw DeviceError(to_string(device) + " is not available (" + cuda_absent_reason() +
                      "); the only device is cpu");
  throw DeviceError(to_string(device) + " does not exist; " + devices_text(count));
}

const DeviceProperties& properties(Device device) {
  if (device.is_cpu()) return host_properties();
  static PerDevice<DeviceProperties> known;
  return known.get(device.index, read_properties);
}

DeviceGuard::DeviceGuard(Device device) {
  if (device.is_cpu()) return;
  CUcontext context = primary_context(device.index).handle;
  CUcontext current = nullptr;
  GPUARRAY_CHECK(cuCtxGetCurrent(&current));
  if (current == context) return;
  GPUARRAY_CHECK(cuCtxSetCurrent(context));
  // If this thread had no context, that of cuda:0 stays current, so that the next guard need not
  // switch. Other libraries would choose the same one.
  previous_ = current;
  switched_ = current != nullptr || device.index != 0;
}

DeviceGuard::~DeviceGuard() {
  if (!switched_) return;
  quietly([&] { driver().cuCtxSetCurrent(static_cast<CUcontext>(previous_)); });
}

}  // namespace gpuarray
