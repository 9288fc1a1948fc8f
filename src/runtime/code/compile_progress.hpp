// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <chrono>

namespace gpuarray {

// Stands around a compilation that a thread waits for. Once those of the process have taken 2
// seconds together, and each time that has doubled, a line on stderr counts them, if that is a
// terminal and GPUARRAY_LOG does not tell them anyway.
class CompileProgress {
 public:
  CompileProgress();
  ~CompileProgress();
  CompileProgress(const CompileProgress&) = delete;
  CompileProgress& operator=(const CompileProgress&) = delete;

  // To be called by a thread whose compilations nobody waits for.
  static void turn_off_here();

 private:
  bool tells_ = false;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace gpuarray
