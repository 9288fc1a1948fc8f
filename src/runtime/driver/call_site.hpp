// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

namespace gpuarray {

using CallSiteFunction = std::string (*)();

// Set by the layer that knows who calls; it takes no lock of ours.
void set_call_site_function(CallSiteFunction function);
// "file.py:12" of the line that called the library in this thread; "" where nobody knows.
std::string call_site();

}  // namespace gpuarray
