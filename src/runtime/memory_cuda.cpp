// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/memory_cuda.hpp"

#include "core/error.hpp"
#include "runtime/context.hpp"
#include "runtime/device.hpp"
#include "runtime/driver.hpp"

namespace gpuarray {
namespace {

constexpr int kMemoryPoolsSupported = 115;  // cuda.h, CUdevice_attribute
constexpr int kReleaseThreshold = 4;        // cuda.h, CUmemPool_attribute

void* raw(const Stream& stream) { return reinterpret_cast<void*>(stream.handle()); }

}  // namespace

CudaResource::CudaResource(Device device) : device_(device), context_(primary_context(device)) {
  DeviceGuard on(device);
  int handle = 0, pools = 0;
  GPUARRAY_CHECK(cuDeviceGet(&handle, device.index));
  GPUARRAY_CHECK(cuDeviceGetAttribute(&pools, kMemoryPoolsSupported, handle));
  if (pools == 0) return;
  GPUARRAY_CHECK(cuDeviceGetDefaultMemPool(&pool_, handle));
  // Freed memory stays with the pool, so that the next array of its size costs no driver work.
  uint64_t keep = UINT64_MAX;
  GPUARRAY_CHECK(cuMemPoolSetAttribute(pool_, kReleaseThreshold, &keep));
}

int CudaResource::try_allocate(uint64_t* data, int64_t nbytes, const Stream& stream) const {
  auto bytes = static_cast<size_t>(nbytes);
  return pool_ != nullptr ? driver().cuMemAllocAsync(data, bytes, raw(stream))
                          : driver().cuMemAlloc(data, bytes);
}

void* CudaResource::allocate(int64_t nbytes, const Stream& stream) {
  DeviceGuard on(device_);
  uint64_t data = 0;
  int status = try_allocate(&data, nbytes, stream);
  if (status == kCudaOutOfMemory) {
    // Memory that other streams freed counts once their work is done.
    GPUARRAY_CHECK(cuCtxSynchronize());
    if (pool_ != nullptr) GPUARRAY_CHECK(cuMemPoolTrimTo(pool_, 0));
    status = try_allocate(&data, nbytes, stream);
  }
  if (status == kCudaOutOfMemory) throw OutOfMemory("");
  check_driver(status, "cuMemAllocAsync", __FILE__, __LINE__);
  return reinterpret_cast<void*>(data);
}

void CudaResource::deallocate(void* data, int64_t, const Stream& stream) noexcept {
  const Driver* table = find_driver();
  auto address = reinterpret_cast<uint64_t>(data);
  // A failure here is the end of the process or a broken context, which the next call reports.
  void* previous = nullptr;
  table->cuCtxGetCurrent(&previous);
  if (previous != context_) table->cuCtxSetCurrent(context_);
  if (pool_ != nullptr) {
    table->cuMemFreeAsync(address, raw(stream));
  } else {
    table->cuStreamSynchronize(raw(stream));
    table->cuMemFree(address);
  }
  if (previous != context_) table->cuCtxSetCurrent(previous);
}

}  // namespace gpuarray
