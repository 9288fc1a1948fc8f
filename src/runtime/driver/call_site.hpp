// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

namespace gpuarray {

// A line of the program that called the library.
struct CallSite {
  static constexpr int kFileBytes = 256;

  int line = 0;                // from 1; 0 if unknown
  char file[kFileBytes] = "";  // zero-terminated; a longer path keeps its end
};

// Sets the function that finds the line that called the library in this thread. It must not take a
// lock of the runtime.
void set_call_site_finder(void (*find)(CallSite&));
// Returns the line that called the library in this thread. It may call Python, so it must be called
// without a lock that Python may need.
CallSite call_site();
// Returns "file.py:12"; "" for an unknown line.
std::string to_string(const CallSite& site);

}  // namespace gpuarray
