// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the compiler's libstdc++.a takes from a glibc newer than the sysroot's.
#include <stddef.h>
#include <sys/random.h>

#define HIDDEN __attribute__((visibility("hidden")))

// Tells reference counts that they may do without atomic operations: never.
HIDDEN char __libc_single_threaded = 0;

// Used by std::random_device, which has no way to tell of an error either.
HIDDEN unsigned arc4random(void) {
  unsigned value;
  size_t filled = 0;
  while (filled < sizeof value) {
    ssize_t more = getrandom((char*)&value + filled, sizeof value - filled, 0);
    if (more > 0) filled += (size_t)more;
  }
  return value;
}
