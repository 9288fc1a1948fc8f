// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/device/pointer.hpp"

#include <cstdio>

#include "core/error.hpp"
#include "runtime/driver/driver.hpp"

namespace gpuarray {

PointerInfo pointer_info(const void* data) {
  constexpr unsigned int kHostMemory = 1, kDeviceMemory = 2;
  int ordinal = -1;
  unsigned int type = 0;
  unsigned int managed = 0;
  CUdeviceptr address = 0;
  CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                 CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                 CU_POINTER_ATTRIBUTE_DEVICE_POINTER};
  void* values[] = {&ordinal, &type, &managed, &address};
  // An address that the driver does not know is not an error here; it has no device address.
  GPUARRAY_CHECK(cuPointerGetAttributes(4, names, values, device_address(data)));
  // Memory of another device than the current context's has a device address too.
  if (ordinal >= 0 && type == kDeviceMemory) address = device_address(data);
  if (ordinal < 0 || address == 0) {
    char text[32];
    std::snprintf(text, sizeof text, "%p", data);
    throw ValueError(std::string(text) + " is not an address of a CUDA device");
  }
  // Page-locked memory may be mapped at another address for devices; it then cannot be used as
  // pinned.
  const bool same = address == device_address(data);
  MemoryKind kind = MemoryKind::device;
  if (managed != 0)
    kind = MemoryKind::managed;
  else if (type == kHostMemory && same)
    kind = MemoryKind::pinned;
  return {Device::cuda(ordinal), kind, reinterpret_cast<void*>(address)};
}

}  // namespace gpuarray
