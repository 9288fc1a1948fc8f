// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

namespace gpuarray::ops {

// Which operations wait.
enum class Fusion : uint8_t {
  off,
  automatic,  // what was followed by others before waits for them
  always,     // everything that can waits
  replay,     // the same, but each operation runs alone: for tests
  compiled,   // the same, but windows are compiled before they run: for tests
  adversary,  // the same, but the window ends at random: for tests
};

}  // namespace gpuarray::ops
