// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "core/device.hpp"
#include "runtime/code/embedded_module.hpp"

namespace gpuarray {

// The extern "C" kernel `symbol` of `source` (see compile_cubin) for `device`: from this process,
// the disk cache or the compiler. Each source is compiled once, by the thread that asks first;
// others wait for it, and different sources compile at the same time. Never unloaded. Throws as
// compile_cubin.
KernelHandle compile_kernel(Device device, const std::string& source, const std::string& symbol);

// Tells, once a process, that kernels which this build lacks for `device` are compiled at first
// use.
void warn_compiling(Device device);
// Tells, once a process, why a faster kernel could not be compiled.
void warn_not_compiled(const std::string& why);

}  // namespace gpuarray
