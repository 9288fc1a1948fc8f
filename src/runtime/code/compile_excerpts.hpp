// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <map>
#include <string>

namespace gpuarray {

// The lines of a source that a compiler's log finds errors in, with the lines around them.
// "#line 1 "axpy:preamble"" in the source begins the preamble of the kernel axpy.
class CompileExcerpts {
 public:
  CompileExcerpts(const std::string& source, const std::string& name, const std::string& log);

  // Returns the name of the kernel, or of the file.
  const std::string& title() const { return title_; }
  // Returns the lines, numbered as in the log; "" if none is known.
  const std::string& lines() const { return lines_; }

 private:
  using File = std::map<int, std::string>;  // lines by number

  void add_source(const std::string& source, const std::string& name);
  void add_error(const std::string& file, int line);

  std::map<std::string, File> files_;
  std::map<std::string, std::map<int, bool>> chosen_;  // whether the line has an error
  std::string title_;
  std::string lines_;
};

// Returns what to do about an error that a log of the compiler or of the linker shows, "" if
// nothing is known.
std::string direction(const std::string& log);
// Returns the same for a log of the host's compiler.
std::string host_direction(const std::string& log);

}  // namespace gpuarray
