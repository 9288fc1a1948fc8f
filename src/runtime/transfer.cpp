// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/transfer.hpp"

#include <cstring>

#include "runtime/cuda_device.hpp"
#include "runtime/driver.hpp"

namespace gpuarray {
namespace {

// Page-locked and managed memory is read when the copy runs, other host memory before the call
// returns.
bool known_to_driver(const void* data) {
  unsigned int type = 0;
  // The plural form takes other memory for no error, and says 0.
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE};
  void* values[] = {&type};
  GPUARRAY_CHECK(cuPointerGetAttributes(1, attributes, values, device_address(data)));
  return type != 0;
}

}  // namespace

void copy_host_to_device(void* target, const void* source, int64_t nbytes, const Stream& stream) {
  if (nbytes == 0) return;
  size_t size = static_cast<size_t>(nbytes);
  if (stream.device().is_cpu()) {
    std::memmove(target, source, size);
    return;
  }
  DeviceGuard on(stream.device());
  CUstream handle = stream_handle(stream.handle());
  GPUARRAY_CHECK(cuMemcpyHtoDAsync(device_address(target), source, size, handle));
  if (known_to_driver(source)) GPUARRAY_CHECK(cuStreamSynchronize(handle));
}

void copy_device_to_host(void* target, const void* source, int64_t nbytes, const Stream& stream) {
  if (nbytes == 0) return;
  size_t size = static_cast<size_t>(nbytes);
  if (stream.device().is_cpu()) {
    std::memmove(target, source, size);
    return;
  }
  DeviceGuard on(stream.device());
  GPUARRAY_CHECK(
      cuMemcpyDtoHAsync(target, device_address(source), size, stream_handle(stream.handle())));
}

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

void copy_peer(void* target, const void* source, Device source_device, int64_t nbytes,
               const Stream& stream) {
  if (nbytes == 0) return;
  DeviceGuard on(stream.device());
  GPUARRAY_CHECK(
      cuMemcpyPeerAsync(device_address(target), primary_context(stream.device().index).handle,
                        device_address(source), primary_context(source_device.index).handle,
                        static_cast<size_t>(nbytes), stream_handle(stream.handle())));
}

}  // namespace gpuarray
