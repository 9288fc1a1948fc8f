// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/device/cuda_device.hpp"

#include <cstdint>

#include "runtime/driver/driver.hpp"

namespace gpuarray {
namespace {

CUmemoryPool default_pool(CUdevice device) {
  int supported = 0;
  GPUARRAY_CHECK(
      cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, device));
  if (supported == 0) return nullptr;
  CUmemoryPool pool = nullptr;
  GPUARRAY_CHECK(cuDeviceGetDefaultMemPool(&pool, device));
  // Freed blocks stay in the pool. By default the driver gives them back at each synchronisation,
  // which costs more than the work.
  uint64_t threshold = UINT64_MAX;
  GPUARRAY_CHECK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  return pool;
}

CudaContext open(int index) {
  CUdevice device = 0;
  CudaContext opened{};
  GPUARRAY_CHECK(cuDeviceGet(&device, index));
  opened.pool = default_pool(device);
  GPUARRAY_CHECK(cuDevicePrimaryCtxRetain(&opened.handle, device));
  return opened;
}

PerDevice<CudaContext> contexts;

}  // namespace

const CudaContext& primary_context(int index) { return contexts.get(index, open); }

bool is_open(int index) { return contexts.peek(index) != nullptr; }

Device device_of_context(CUcontext context) {
  for (int index = 0; index < kMaxCudaDevices; ++index)
    if (const CudaContext* found = contexts.peek(index); found && found->handle == context)
      return Device::cuda(index);
  return Device::cpu();
}

}  // namespace gpuarray
