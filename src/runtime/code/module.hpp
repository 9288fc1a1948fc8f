// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "core/device.hpp"
#include "runtime/driver/driver_types.hpp"

namespace gpuarray {

// The embedded module, loaded at the first call and never unloaded; null if the build has none of
// this name, or the driver can use nothing in it.
CUlibrary load_module(const std::string& name);

// A kernel, null for none.
struct KernelHandle {
  void* kernel = nullptr;  // CUkernel, for all devices, or CUfunction, for one
};

// Looks `symbol` up in the embedded module `family` (the stem of kernels/aot/<family>.cu), loading
// it first. Null when the build has no such kernel or no device code for the devices present.
// Callers keep the handle.
KernelHandle find_kernel(const std::string& family, const std::string& symbol);

// Whether `status` says that a module holds nothing for the device, and the DeviceError for it.
bool lacks_device_code(CUresult status);
[[noreturn]] void throw_lacks_device_code(int device_index);
// "cuda:0 (NVIDIA H200, compute capability 9.0)"
std::string device_text(Device device);

}  // namespace gpuarray
