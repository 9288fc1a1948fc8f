// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/memory/kinds.hpp"

#include "core/error.hpp"
#include "runtime/device/cuda_device.hpp"
#include "runtime/device/host_info.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/memory/idle_blocks.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/stream/synchronize.hpp"

namespace gpuarray {
namespace {

constexpr int64_t kMostPinned = int64_t{1} << 30;   // bytes kept for reuse in the process
constexpr int64_t kMostManaged = int64_t{1} << 28;  // bytes kept for reuse a device

struct Pool {
  Pool(MemoryResourcePtr upstream, int64_t most_kept, MemoryKind kind)
      : idle(std::make_shared<IdleBlocksResource>(std::move(upstream), most_kept)),
        statistics(
            std::make_shared<StatisticsResource>(idle, std::make_shared<MemoryCounters>(), kind)),
        resource(MemoryResourcePtr(), statistics.get()) {}

  std::shared_ptr<IdleBlocksResource> idle;
  std::shared_ptr<StatisticsResource> statistics;
  MemoryResourcePtr resource;  // the same without its count, which all threads would write
};

// Returns the pool, never destroyed, because arrays may outlive static destruction.
Pool& pool_of(Device device, MemoryKind kind) {
  require_device(device);
  if (kind == MemoryKind::pinned) {
    static Pool& pinned = *new Pool(std::make_shared<PinnedResource>(), kMostPinned, kind);
    return pinned;
  }
  static PerDevice<Pool> managed;
  return managed.get(device.index, [](int index) {
    return Pool(std::make_shared<ManagedResource>(Device::cuda(index)), kMostManaged,
                MemoryKind::managed);
  });
}

void check_allocation(CUresult status, const char* call, const char* what, int64_t nbytes) {
  if (status == CUDA_ERROR_OUT_OF_MEMORY)
    throw OutOfMemory(std::string(what) + " memory: asked for " + std::to_string(nbytes) +
                      " bytes (" + bytes_text(nbytes) + "), which the system does not give");
  check_driver(status, call, __FILE__, __LINE__);
}

}  // namespace

void* PinnedResource::allocate(int64_t nbytes, const Stream& stream) {
  DeviceGuard on(stream.device());
  void* data = nullptr;
  // A request beyond the physical memory may make the system kill the process.
  const bool fits = nbytes <= host_properties().total_memory;
  CUresult status = !fits ? CUDA_ERROR_OUT_OF_MEMORY
                          : GPUARRAY_CALL(cuMemHostAlloc(&data, static_cast<size_t>(nbytes),
                                                         CU_MEMHOSTALLOC_PORTABLE));
  check_allocation(status, "cuMemHostAlloc", "page-locked", nbytes);
  return data;
}

void PinnedResource::deallocate(void* data, int64_t, const Stream& stream) noexcept {
  quietly([&] {
    DeviceGuard on(stream.device());
    GPUARRAY_CALL(cuMemFreeHost(data));
  });
}

void* ManagedResource::allocate(int64_t nbytes, const Stream& stream) {
  DeviceGuard on(stream.device());
  CUdeviceptr data = 0;
  CUresult status =
      GPUARRAY_CALL(cuMemAllocManaged(&data, static_cast<size_t>(nbytes), CU_MEM_ATTACH_GLOBAL));
  check_allocation(status, "cuMemAllocManaged", "managed", nbytes);
  return reinterpret_cast<void*>(data);
}

void ManagedResource::deallocate(void* data, int64_t, const Stream& stream) noexcept {
  quietly([&] {
    DeviceGuard on(stream.device());
    GPUARRAY_CALL(cuMemFree(device_address(data)));
  });
}

MemoryResourcePtr resource_of(Device device, MemoryKind kind) {
  if (device.is_cpu() || kind == MemoryKind::device) return current_resource(device);
  return pool_of(device, kind).resource;
}

KindStatistics kind_statistics(Device device, MemoryKind kind) {
  if (device.is_cpu()) return {};
  const Pool& pool = pool_of(device, kind);
  return {pool.statistics->statistics(), pool.idle->cached_bytes()};
}

bool page_lock(Device device, void* data, int64_t nbytes) {
  DeviceGuard on(device);
  CUresult status = GPUARRAY_CALL(
      cuMemHostRegister(data, static_cast<size_t>(nbytes), CU_MEMHOSTREGISTER_PORTABLE));
  if (status == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED) return false;
  check_allocation(status, "cuMemHostRegister", "page-locked", nbytes);
  return true;
}

void page_unlock(Device device, void* data) {
  for (int index = 0; index < cuda_device_count(); ++index)
    if (is_open(index)) synchronize(Device::cuda(index));
  DeviceGuard on(device);
  GPUARRAY_CHECK(cuMemHostUnregister(data));
}

namespace {

// Returns the driver's number of a device, -1 for the host.
CUdevice location(Device device) {
  if (device.is_cpu()) return CU_DEVICE_CPU;
  require_device(device);
  CUdevice found = 0;
  GPUARRAY_CHECK(cuDeviceGet(&found, device.index));
  return found;
}

}  // namespace

void prefetch(void* data, int64_t nbytes, Device device, const Stream& stream) {
  DeviceGuard on(stream.device());
  GPUARRAY_CHECK(cuMemPrefetchAsync(device_address(data), static_cast<size_t>(nbytes),
                                    location(device), stream_handle(stream.handle())));
}

void advise(void* data, int64_t nbytes, MemoryAdvice advice, bool set, Device device,
            Device memory_device) {
  DeviceGuard on(memory_device);
  const unsigned int number = static_cast<unsigned int>(advice) + (set ? 0 : 1);
  GPUARRAY_CHECK(
      cuMemAdvise(device_address(data), static_cast<size_t>(nbytes), number, location(device)));
}

}  // namespace gpuarray
