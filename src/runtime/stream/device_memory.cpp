// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/stream/device_memory.hpp"

#include <cstring>

#include "runtime/device/device.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/stream/launch_log.hpp"

namespace gpuarray {

void copy_device_to_device(void* target, const void* source, int64_t nbytes, const Stream& stream) {
  if (nbytes == 0) return;
  size_t size = static_cast<size_t>(nbytes);
  if (stream.device().is_cpu()) {
    std::memmove(target, source, size);
    return;
  }
  DeviceGuard on(stream.device());
  GPUARRAY_CHECK(cuMemcpyDtoDAsync(device_address(target), device_address(source), size,
                                   stream_handle(stream.handle())));
}

void fill_device(void* target, unsigned char value, int64_t nbytes, const Stream& stream) {
  if (nbytes == 0) return;
  size_t size = static_cast<size_t>(nbytes);
  if (stream.device().is_cpu()) {
    std::memset(target, value, size);
    return;
  }
  DeviceGuard on(stream.device());
  GPUARRAY_CHECK(
      cuMemsetD8Async(device_address(target), value, size, stream_handle(stream.handle())));
}

void read_device(void* target, const void* source, int64_t nbytes, const Stream& stream) {
  if (nbytes == 0) return;
  size_t size = static_cast<size_t>(nbytes);
  if (stream.device().is_cpu()) {
    std::memcpy(target, source, size);
    return;
  }
  DeviceGuard on(stream.device());
  GPUARRAY_CHECK(
      cuMemcpyDtoHAsync(target, device_address(source), size, stream_handle(stream.handle())));
  wait_for_work(stream);
}

}  // namespace gpuarray
