// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "core/device.hpp"
#include "runtime/kernel.hpp"

namespace gpuarray {

// Kernels compiled at run time from CUDA C++ that may include everything in kernels/. Results are
// to the last bit those of the kernels that were built ahead.

// The machine code for this compute capability, PTX if the compiler does not know it. Throws
// CompileError with the compiler's log, or DeviceError without a compiler. Blocks for tens of
// milliseconds: hold no lock.
std::string compile_cubin(const std::string& source, int compute_major, int compute_minor);

// The extern "C" kernel `symbol` of `source` for `device`: from this process, the disk cache or the
// compiler. Each source is compiled once, by the thread that asks first; others wait for it.
KernelHandle compile_kernel(Device device, const std::string& source, const std::string& symbol);

// Called at most once a process, when kernels are first compiled for want of device code.
void set_compile_notice(void (*notice)(const std::string&));
// Tells of it: this build holds no device code for `device`.
void notify_no_device_code(Device device);

}  // namespace gpuarray
