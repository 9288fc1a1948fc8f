// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "core/device.hpp"
#include "runtime/device/memory_kind.hpp"

namespace gpuarray {

// What the driver knows of an address that CUDA devices use.
struct PointerInfo {
  Device device;
  MemoryKind kind;
  void* data;  // address that devices use for the same memory
};

// Asks the driver about an address. Throws ValueError for an address that no CUDA device uses,
// DeviceError without a CUDA device.
PointerInfo pointer_info(const void* data);

}  // namespace gpuarray
