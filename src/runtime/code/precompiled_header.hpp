// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace gpuarray {

// The header that NVRTC precompiles from the #include lines at the beginning of a source, for later
// compilations of this process. The first compilation makes it too if the lines name headers that
// are known to be slow; else the second does, if the first took long. The code is the same as
// without. NVRTC cannot read the header of another process, so its file is deleted as soon as it is
// open. Construct one for each compilation. While a thread has one, the others compile without.
class PrecompiledHeader {
 public:
  // `key` tells what the code depends on besides the source; "" if that is unknown.
  PrecompiledHeader(const std::string& source, const std::string& key);

  // Returns whether a compilation of source() with options() makes or reads the header.
  bool takes_part() const { return is_ready() || !made_.empty(); }
  // Returns the source, with a mark at the end of the lines if the header is to be made.
  std::string source() const;
  std::vector<std::string> options() const;

  // Notes the end of such a compilation, and keeps the header that it made. An error after the
  // lines leaves a header, too.
  void ended(bool has_error);
  // Notes how long the compilation took.
  void compiled(double seconds);
  // Notes that NVRTC could not make or read the header; later compilations do without.
  void refused();

 private:
  struct State;

  bool is_ready() const;
  std::unique_lock<std::mutex> lock_;
  State* state_ = nullptr;  // null if this compilation has no header
  std::string source_;
  size_t end_ = 0;    // of the lines in the source
  std::string made_;  // path of the file to make, or ""

  static std::vector<State>& states();
};

}  // namespace gpuarray
