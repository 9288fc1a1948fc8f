// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>

namespace gpuarray {

// What a launch does beyond being queued and noted; bits.
inline constexpr unsigned int kLaunchLines = 1;   // its Python line is noted
inline constexpr unsigned int kLaunchBlocks = 2;  // it is waited for, and its line noted
inline constexpr unsigned int kLaunchUnread = 4;  // the environment is still to be read

extern std::atomic<unsigned int> launch_mode_bits;

// Reads GPUARRAY_LAUNCH_LINES and GPUARRAY_LAUNCH_BLOCKING. Throws ValueError unless they are 0, 1
// or unset.
unsigned int read_launch_mode();

inline unsigned int launch_mode() {
  const unsigned int bits = launch_mode_bits.load(std::memory_order_relaxed);
  return (bits & kLaunchUnread) == 0 ? bits : read_launch_mode();
}

// For all threads, from their next launch on.
void set_launch_mode(unsigned int bit, bool on);

}  // namespace gpuarray
