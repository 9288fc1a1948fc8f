// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <optional>

#include "runtime/device/cuda_device.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/stream/launch_log.hpp"
#include "runtime/stream/main_stream.hpp"
#include "runtime/stream/recording.hpp"
#include "runtime/stream/synchronize.hpp"

namespace gpuarray {
namespace {

CUresult try_allocate(CUdeviceptr& data, int64_t nbytes, CUmemoryPool pool, CUstream stream) {
  size_t size = static_cast<size_t>(nbytes);
  if (pool == nullptr) return GPUARRAY_CALL(cuMemAlloc(&data, size));
  return GPUARRAY_CALL(cuMemAllocFromPoolAsync(&data, size, pool, stream));
}

// Returns the bytes that the pool has reserved and no block uses.
int64_t unused_in(CUmemoryPool pool) {
  if (pool == nullptr) return 0;
  uint64_t reserved = 0;
  uint64_t used = 0;
  GPUARRAY_CHECK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved));
  GPUARRAY_CHECK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  return reserved > used ? static_cast<int64_t>(reserved - used) : 0;
}

// Gives the memory that the pool does not use back to the device.
void trim(CUmemoryPool pool) {
  if (pool != nullptr) GPUARRAY_CHECK(cuMemPoolTrimTo(pool, 0));
}

}  // namespace

void* DriverResource::allocate(int64_t nbytes, const Stream& stream) {
  if (nbytes > properties(device_).total_memory) throw_out_of_memory(device_, nbytes);
  DeviceGuard on(device_);
  CUmemoryPool pool = primary_context(device_.index).pool;
  CUstream handle = stream_handle(stream.handle());
  CUdeviceptr data = 0;
  CUresult status = try_allocate(data, nbytes, pool, handle);
  if (status == CUDA_ERROR_OUT_OF_MEMORY) {
    // Once all work is done, blocks freed on other streams are free, and are merged.
    if (!is_capturing(device_)) wait_for_work(device_);
    trim(pool);
    status = try_allocate(data, nbytes, pool, handle);
  }
  if (status == CUDA_ERROR_OUT_OF_MEMORY) {
    trim(pool);  // the failed attempt has left the pool larger
    throw_out_of_memory(device_, nbytes);
  }
  check_driver(status, pool == nullptr ? "cuMemAlloc" : "cuMemAllocFromPoolAsync", __FILE__,
               __LINE__);
  used_ += nbytes;
  return reinterpret_cast<void*>(data);
}

void DriverResource::deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept {
  std::optional<DeviceGuard> on;
  // A context that cannot be made current does not keep us from freeing.
  quietly([&] { on.emplace(device_); });
  bool is_kept = false;
  quietly([&] {
    if (primary_context(device_.index).pool == nullptr) {
      GPUARRAY_CALL(cuMemFree(device_address(data)));
      return;
    }
    // During a capture the graph would do the free, at every launch.
    const bool captured = stream.is_capturing();
    const bool ordered = !captured || main_stream(device_)->wait_or_block(stream);
    CUstream handle = stream_handle(captured ? main_stream(device_)->handle() : stream.handle());
    if (ordered && GPUARRAY_CALL(cuMemFreeAsync(device_address(data), handle)) == CUDA_SUCCESS)
      return;
    // A borrowed stream may be gone by now, so the memory is freed after all work instead.
    is_kept = !try_finish(device_);
    if (!is_kept) GPUARRAY_CALL(cuMemFree(device_address(data)));
  });
  if (is_kept) return report_kept(device_, bytes_text(nbytes));
  used_ -= nbytes;
}

void DriverResource::release_cached() noexcept {
  quietly([&] {
    DeviceGuard on(device_);
    if (!is_capturing(device_))
      wait_for_work(device_);  // memory whose last use is pending is not free yet
    trim(primary_context(device_.index).pool);
  });
}

void DriverResource::add_usage(MemoryUsage& usage) const {
  usage.used += used_;
  usage.cached += unused_in(primary_context(device_.index).pool);
}

}  // namespace gpuarray
