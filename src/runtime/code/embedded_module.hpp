// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "core/device.hpp"
#include "runtime/driver/driver_types.hpp"

namespace gpuarray {

// Returns the module of device code that was embedded under this name; null if the build has none
// of this name, or the driver can use none of its images. It is loaded at the first call and never
// unloaded. Throws CudaError.
CUlibrary load_module(const std::string& name);

// A handle of a kernel, null if there is none. Kernels of embedded modules are never unloaded.
struct KernelHandle {
  // A CUkernel, which is for all devices, or a CUfunction, which is for one.
  void* kernel = nullptr;
};

// Looks up the kernel `symbol` in the embedded module `module` (the stem of
// kernels/aot/<module>.cu) and loads that if need be. Returns null if the build has no such kernel
// or no code for the devices present. Callers keep the handle, because the lookup is slow. Throws
// CudaError.
KernelHandle find_kernel(const std::string& module, const std::string& symbol);

// Returns whether a status of the driver says that a module has no code for the device.
bool lacks_device_code(CUresult status);
// Throws the DeviceError for such a status, which names the architectures of the build.
[[noreturn]] void throw_lacks_device_code(int device_index);
// Describes a device: "cuda:0 (NVIDIA H200, compute capability 9.0)".
std::string device_text(Device device);

}  // namespace gpuarray
