// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "runtime/driver_types.hpp"

namespace gpuarray {

// Why a driver of this version can run no kernel of this build, "" if it can.
std::string device_code_absent_reason(int driver_version);

// The embedded module, loaded at the first call and never unloaded; null if the build has none of
// this name.
CUlibrary load_module(const std::string& name);

// Whether `status` says that a module holds nothing for the device, and the DeviceError for it.
bool lacks_device_code(CUresult status);
[[noreturn]] void throw_lacks_device_code(int device_index);

}  // namespace gpuarray
