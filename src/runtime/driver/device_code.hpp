// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

namespace gpuarray {

// Returns why a driver of this version (12040 is CUDA 12.4) can run no kernel, neither one of this
// build nor one compiled at run time; "" if it can run some. May load NVRTC.
std::string device_code_absent_reason(int driver_version);

}  // namespace gpuarray
