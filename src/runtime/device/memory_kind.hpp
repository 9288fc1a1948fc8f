// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

namespace gpuarray {

// The kinds of memory that an array may have: a CUDA device's own; page-locked memory of the host,
// which devices use at the same address; memory that the driver migrates to whoever uses it; and
// the cpu device's.
enum class MemoryKind : uint8_t { device, pinned, managed, host };

// Returns the kind's name as users know it.
constexpr const char* name(MemoryKind kind) {
  constexpr const char* kNames[] = {"device", "pinned", "managed", "host"};
  return kNames[static_cast<int>(kind)];
}

// Returns whether the host may use the memory at its address once pending work on it is done.
constexpr bool host_visible(MemoryKind kind) { return kind != MemoryKind::device; }

}  // namespace gpuarray
