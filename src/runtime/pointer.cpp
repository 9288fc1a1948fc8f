// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/pointer.hpp"

#include <string>

#include "core/error.hpp"
#include "runtime/driver.hpp"

namespace gpuarray {

namespace {
constexpr int kDeviceOrdinal = 9;  // cuda.h, CUpointer_attribute
}

Device device_of_pointer(const void* data) {
  int index = -1;
  int status =
      driver().cuPointerGetAttribute(&index, kDeviceOrdinal, reinterpret_cast<uint64_t>(data));
  if (status != kCudaSuccess || index < 0)
    throw ValueError("address " + std::to_string(reinterpret_cast<uint64_t>(data)) +
                     " is not memory of a CUDA device");
  return Device::cuda(index);
}

}  // namespace gpuarray
