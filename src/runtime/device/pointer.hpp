// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "core/device.hpp"
#include "runtime/device/memory_kind.hpp"

namespace gpuarray {

// What the driver says of an address that devices use.
struct PointerInfo {
  Device device;
  MemoryKind kind;
  void* data;  // the same element's address for devices
};

// Throws ValueError for an address that no CUDA device uses, DeviceError without a CUDA device.
PointerInfo pointer_info(const void* data);

}  // namespace gpuarray
