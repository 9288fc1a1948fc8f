// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <cstdint>

namespace gpuarray::ops {

// Which operations wait.
enum class Fusion : uint8_t {
  off,
  automatic,  // what was followed by others before waits for them
  always,     // everything that can waits
};

inline constinit std::atomic<Fusion> mode = Fusion::off;  // of the process

// What tests have windows do in Fusion::always.
enum class TestedWindows : uint8_t {
  no,
  replay,     // each operation runs alone
  compiled,   // windows are compiled before they run
  adversary,  // the window ends at random
};

}  // namespace gpuarray::ops
