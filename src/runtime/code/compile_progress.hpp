// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

namespace gpuarray {

// Stands around a compilation that a thread waits for. Once those one after the other have taken 2
// seconds, a line on stderr counts them, if that is a terminal and GPUARRAY_LOG does not tell them
// anyway. The line is gone when the compilation ends.
class CompileProgress {
 public:
  CompileProgress();
  ~CompileProgress();
  CompileProgress(const CompileProgress&) = delete;
  CompileProgress& operator=(const CompileProgress&) = delete;

  // To be called by a thread whose compilations nobody waits for.
  static void turn_off_here();

 private:
  bool is_shown_ = false;
};

}  // namespace gpuarray
