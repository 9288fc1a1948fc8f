// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>

namespace gpuarray {

// The launch mode: bits that say what a launch does besides being queued and noted.
inline constexpr unsigned int kLaunchLines = 1;   // the launch's Python line is noted
inline constexpr unsigned int kLaunchBlocks = 2;  // the launch is waited for, and its line noted
inline constexpr unsigned int kLaunchUnread = 4;  // the environment was not read yet

extern std::atomic<unsigned int> launch_mode_bits;

// Reads GPUARRAY_LAUNCH_LINES and GPUARRAY_LAUNCH_BLOCKING, and returns the mode. Throws ValueError
// unless they are 0, 1 or unset.
unsigned int read_launch_mode();

// Returns the mode; the first call reads the environment and throws as read_launch_mode().
inline unsigned int launch_mode() {
  const unsigned int bits = launch_mode_bits.load(std::memory_order_relaxed);
  return (bits & kLaunchUnread) == 0 ? bits : read_launch_mode();
}

// Sets or clears a bit for all threads, from their next launch on.
void set_launch_mode(unsigned int bit, bool on);

}  // namespace gpuarray
