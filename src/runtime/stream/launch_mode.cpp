// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/stream/launch_mode.hpp"

#include "core/environment.hpp"

namespace gpuarray {

std::atomic<unsigned int> launch_mode_bits = kLaunchUnread;

unsigned int read_launch_mode() {
  unsigned int unread = kLaunchUnread;
  const unsigned int bits = (bool_variable("GPUARRAY_LAUNCH_LINES", false) ? kLaunchLines : 0) |
                            (bool_variable("GPUARRAY_LAUNCH_BLOCKING", false) ? kLaunchBlocks : 0);
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
