// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/pointer.hpp"

#include <cstdio>

#include "core/error.hpp"
#include "runtime/driver.hpp"

namespace gpuarray {

Device device_of_pointer(const void* data) {
  int ordinal = -1;
  CUresult status = GPUARRAY_CALL(
      cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, device_address(data)));
  if (status == CUDA_SUCCESS && ordinal >= 0) return Device::cuda(ordinal);
  if (status != CUDA_SUCCESS && status != CUDA_ERROR_INVALID_VALUE)
    check_driver(status, "cuPointerGetAttribute", __FILE__, __LINE__);
  char text[32];
  std::snprintf(text, sizeof text, "%p", data);
  throw ValueError(std::string(text) + " is not an address of a CUDA device");
}

}  // namespace gpuarray
