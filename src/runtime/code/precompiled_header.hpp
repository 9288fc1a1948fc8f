// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace gpuarray {

// The header that NVRTC precompiles from the #include lines at the beginning of a source, for later
// compilations of this process. It is made before the second source with these lines is compiled,
// if the first took long. The code is the same as without it.
// NVRTC cannot read the header of another process, so its file is deleted as soon as it is open.
// Construct one for each compilation. While a thread has one, the others compile without.
class PrecompiledHeader {
 public:
  // `key` tells what the code depends on besides the source; "" if that is unknown.
  PrecompiledHeader(const std::string& source, const std::string& key);

  // Returns whether the header is to be made, by a compilation of source() with options().
  bool is_wanted() const { return !made_.empty(); }
  // Returns whether a compilation of the whole source can read the header, by options().
  bool is_ready() const;
  const std::string& source() const { return begin_; }  // the lines
  std::vector<std::string> options() const;

  // Notes that the header was made.
  void made();
  // Notes how long the compilation of the whole source took.
  void compiled(double seconds);
  // Notes that NVRTC could not make or read the header; later compilations do without.
  void refused();

 private:
  struct State;

  std::unique_lock<std::mutex> lock_;
  State* state_ = nullptr;  // null if this compilation has no header
  std::string begin_;
  std::string made_;  // path of the file to make, or ""

  static std::vector<State>& states();
};

}  // namespace gpuarray
