// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

namespace gpuarray {

// What memory of an array is: a CUDA device's own; page-locked memory of the host, which devices
// use at the same address; memory that the driver moves to who uses it; the cpu device's.
enum class MemoryKind : uint8_t { device, pinned, managed, host };

constexpr const char* name(MemoryKind kind) {
  constexpr const char* kNames[] = {"device", "pinned", "managed", "host"};
  return kNames[static_cast<int>(kind)];
}

// Whether the host may use the memory at its address, once pending work on it is done.
constexpr bool host_visible(MemoryKind kind) { return kind != MemoryKind::device; }

}  // namespace gpuarray
