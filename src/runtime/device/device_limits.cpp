// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/device/device_limits.hpp"

#include "runtime/device/cuda_device.hpp"
#include "runtime/driver/driver.hpp"

namespace gpuarray {
namespace {

PerDevice<DeviceLimits> limits;

DeviceLimits read_limits(int index) {
  CUdevice device = 0;
  GPUARRAY_CHECK(cuDeviceGet(&device, index));
  const auto read = [&](CUdevice_attribute attribute) {
    int value = 0;
    GPUARRAY_CHECK(cuDeviceGetAttribute(&value, attribute, device));
    return value;
  };
  return {
      .threads_per_block = read(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
      .block = {read(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
                read(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                read(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)},
      .grid = {read(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X), read(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
               read(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)},
      .shared_bytes = read(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
      .cooperative = read(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) != 0,
      .clusters = read(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) != 0,
      .multiprocessors = read(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
  };
}

}  // namespace

const DeviceLimits& device_limits(Device device) { return limits.get(device.index, read_limits); }

}  // namespace gpuarray
