// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "core/device.hpp"
#include "runtime/code/embedded_module.hpp"

namespace gpuarray {

// Returns the extern "C" kernel `symbol` of `source` (see compile_cubin) for `device`: from this
// process, the disk cache or the compiler. A source is compiled once, by the thread that asks
// first, while others wait for it; different sources compile at the same time. The kernel is never
// unloaded. Throws as compile_cubin(), and CudaError.
KernelHandle compile_kernel(Device device, const std::string& source, const std::string& symbol);

// The same in two steps, for a thread that compiles in the background: it must not load, because
// the driver may then wait for the device's work under a lock that launches take. The image is that
// of the disk cache or the compiler's.
std::string compile_image(Device device, const std::string& source);
KernelHandle load_image(Device device, const std::string& image, const std::string& symbol);

// Warns the user, once a process, that kernels which this build lacks for `device` are compiled at
// first use.
void warn_compiling(Device device);
// Warns the user, once a process, that a faster kernel could not be compiled, and why.
void warn_not_compiled(const std::string& why);

}  // namespace gpuarray
