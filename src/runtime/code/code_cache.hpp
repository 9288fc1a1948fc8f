// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "runtime/code/compile.hpp"
#include "runtime/code/link.hpp"

namespace gpuarray {

// Do the work of compile() and link() through the disk cache: once for all processes, until the
// source, a header that it includes, an option, the compiler or an input changes. They throw the
// same. A user's source may include standard_headers() as well.
CompileResult compile_cached(CompileRequest request);
LinkResult link_cached(const LinkRequest& request);

// Does the work of compile() for one of this project's kernels, which includes headers of kernels/
// alone, in the same way. Throws the same.
std::string kernel_image_cached(const CompileRequest& request);

// Returns the cache key of a request, without its headers outside kernels/. Throws DeviceError
// without a compiler.
std::string compiled_key(const CompileRequest& request);

}  // namespace gpuarray
