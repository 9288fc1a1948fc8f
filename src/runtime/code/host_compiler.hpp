// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>
#include <vector>

namespace gpuarray {

// The extern "C" function `symbol` of C++ that may include everything in kernels/: from this
// process, the disk cache, or the host's compiler, the command in CXX or else c++, g++ or clang++,
// with `options` besides the build's own.
// Each source is compiled once for the headers that it includes, by the thread that asks first;
// others wait for it. Where the preprocessor alone knows the headers it is compiled at each call.
// Never unloaded. The symbol must have default visibility. Throws CompileError with the compiler's
// log and the source, DeviceError without a compiler or a folder for it.
void* compile_host_function(const std::string& source, const std::string& symbol,
                            const std::vector<std::string>& options = {});

}  // namespace gpuarray
