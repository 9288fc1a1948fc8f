// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/memory/ipc.hpp"

#include <optional>

#include "core/divide.hpp"
#include "core/error.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/stream/synchronize.hpp"

namespace gpuarray {
namespace {

constexpr int64_t kPage = int64_t{2} << 20;  // the driver puts several smaller blocks on one page

int64_t whole_pages(int64_t nbytes) { return round_up(nbytes, kPage); }

}  // namespace

IpcResource::IpcResource(Device device) : device_(device) {
  if (device.is_cpu())
    throw DeviceError(
        "memory of cpu cannot be shared by handle; see multiprocessing.shared_memory");
  require_device(device);
}

void* IpcResource::allocate(int64_t nbytes, const Stream&) {
  if (nbytes > properties(device_).total_memory) throw_out_of_memory(device_, nbytes);
  DeviceGuard on(device_);
  const size_t size = static_cast<size_t>(whole_pages(nbytes));
  CUdeviceptr data = 0;
  CUresult status = GPUARRAY_CALL(cuMemAlloc(&data, size));
  if (status == CUDA_ERROR_OUT_OF_MEMORY) {
    default_resource(device_)->release_cached();
    status = GPUARRAY_CALL(cuMemAlloc(&data, size));
  }
  if (status == CUDA_ERROR_OUT_OF_MEMORY) throw_out_of_memory(device_, nbytes);
  check_driver(status, "cuMemAlloc", __FILE__, __LINE__);
  used_ += nbytes;
  return reinterpret_cast<void*>(data);
}

void IpcResource::deallocate(void* data, int64_t nbytes, const Stream&) noexcept {
  if (!try_finish(device_)) return report_kept(device_, bytes_text(nbytes));
  used_ -= nbytes;
  std::optional<DeviceGuard> on;
  quietly([&] { on.emplace(device_); });
  quietly([&] { GPUARRAY_CALL(cuMemFree(device_address(data))); });
}

}  // namespace gpuarray
