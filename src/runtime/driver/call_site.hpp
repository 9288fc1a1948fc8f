// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

namespace gpuarray {

// Tells the line of the program that called the library in this thread.
using CallSiteFunction = std::string (*)();

// Sets the function behind call_site(). It must not take a lock of the runtime.
void set_call_site_function(CallSiteFunction function);
// Returns "file.py:12", the line that called the library in this thread; "" where it is not known.
std::string call_site();

}  // namespace gpuarray
