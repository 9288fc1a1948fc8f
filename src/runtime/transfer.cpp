// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/transfer.hpp"

#include <cstring>

#include "runtime/context.hpp"
#include "runtime/device.hpp"
#include "runtime/driver.hpp"

namespace gpuarray {
namespace {

constexpr int kMemoryType = 2;  // cuda.h, CUpointer_attribute

void* raw(const Stream& stream) { return reinterpret_cast<void*>(stream.handle()); }
uint64_t address(const void* data) { return reinterpret_cast<uint64_t>(data); }

// Page-locked memory, which the device reads after the call has returned; the driver knows no other
// host memory.
bool is_page_locked(const void* data) {
  unsigned type = 0;
  return driver().cuPointerGetAttribute(&type, kMemoryType, address(data)) == kCudaSuccess;
}

}  // namespace

void copy_host_to_device(void* target, const void* source, int64_t nbytes, const Stream& stream) {
  if (nbytes == 0) return;
  auto bytes = static_cast<size_t>(nbytes);
  if (stream.device().is_cpu()) {
    std::memcpy(target, source, bytes);
    return;
  }
  DeviceGuard on(stream.device());
  GPUARRAY_CHECK(cuMemcpyHtoDAsync(address(target), source, bytes, raw(stream)));
  if (is_page_locked(source)) GPUARRAY_CHECK(cuStreamSynchronize(raw(stream)));
}

void copy_device_to_host(void* target, const void* source, int64_t nbytes, const Stream& stream) {
  if (nbytes == 0) return;
  auto bytes = static_cast<size_t>(nbytes);
  if (stream.device().is_cpu()) {
    std::memcpy(target, source, bytes);
    return;
  }
  DeviceGuard on(stream.device());
  GPUARRAY_CHECK(cuMemcpyDtoHAsync(target, address(source), bytes, raw(stream)));
}

void copy_device_to_device(void* target, const void* source, int64_t nbytes, const Stream& stream) {
  if (nbytes == 0) return;
  auto bytes = static_cast<size_t>(nbytes);
  if (stream.device().is_cpu()) {
    std::memmove(target, source, bytes);
    return;
  }
  DeviceGuard on(stream.device());
  GPUARRAY_CHECK(cuMemcpyDtoDAsync(address(target), address(source), bytes, raw(stream)));
}

void copy_peer(void* target, const void* source, Device source_device, int64_t nbytes,
               const Stream& stream) {
  if (nbytes == 0) return;
  DeviceGuard on(stream.device());
  GPUARRAY_CHECK(cuMemcpyPeerAsync(address(target), primary_context(stream.device()),
                                   address(source), primary_context(source_device),
                                   static_cast<size_t>(nbytes), raw(stream)));
}

}  // namespace gpuarray
