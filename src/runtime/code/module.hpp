// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "core/device.hpp"
#include "runtime/driver/driver_types.hpp"

namespace gpuarray {

// Why a driver of this version can run no kernel, neither of this build nor one compiled at run
// time, "" if it can.
std::string device_code_absent_reason(int driver_version);

// The embedded module, loaded at the first call and never unloaded; null if the build has none of
// this name, or the driver can use nothing in it.
CUlibrary load_module(const std::string& name);

// Whether `status` says that a module holds nothing for the device, and the DeviceError for it.
bool lacks_device_code(CUresult status);
[[noreturn]] void throw_lacks_device_code(int device_index);
// "cuda:0 (NVIDIA H200, compute capability 9.0)"
std::string device_text(Device device);

}  // namespace gpuarray
