// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>
#include <vector>

namespace gpuarray {

// Returns the extern "C" function `symbol` of a C++ source that may include every header of
// kernels/: from this process, the disk cache, or the host's compiler, which is the command in CXX
// or else c++, g++ or clang++. `options` are added to the build's own. The symbol must have default
// visibility, and is never unloaded.
// A source is compiled once for the content of its headers, by the thread that asks first, while
// others wait for it; but at each call if only the preprocessor can know the headers. A compilation
// is logged with `name`. Throws CompileError with the compiler's log and the source, DeviceError
// without a compiler or a folder for it.
void* compile_host_function(const std::string& name, const std::string& source,
                            const std::string& symbol,
                            const std::vector<std::string>& options = {});

}  // namespace gpuarray
