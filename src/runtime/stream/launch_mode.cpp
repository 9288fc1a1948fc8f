// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/stream/launch_mode.hpp"

#include <string>

#include "core/environment.hpp"
#include "core/error.hpp"

namespace gpuarray {

std::atomic<unsigned int> launch_mode_bits = kLaunchUnread;

namespace {

unsigned int bit_of(const char* variable, unsigned int bit) {
  const int64_t value = integer_variable(variable, 0);
  if (value == 0 || value == 1) return value == 0 ? 0 : bit;
  throw ValueError(std::string(variable) + "=" + std::to_string(value) + ": expected 0 or 1");
}

}  // namespace

unsigned int read_launch_mode() {
  unsigned int unread = kLaunchUnread;
  const unsigned int bits = bit_of("GPUARRAY_LAUNCH_LINES", kLaunchLines) |
                            bit_of("GPUARRAY_LAUNCH_BLOCKING", kLaunchBlocks);
  return launch_mode_bits.compare_exchange_strong(unread, bits) ? bits : unread;
}

void set_launch_mode(unsigned int bit, bool on) {
  launch_mode();
  if (on)
    launch_mode_bits |= bit;
  else
    launch_mode_bits &= ~bit;
}

}  // namespace gpuarray
