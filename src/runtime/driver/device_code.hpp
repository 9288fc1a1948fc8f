// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

namespace gpuarray {

// Why a driver of this version can run no kernel, neither of this build nor one compiled at run
// time, "" if it can.
std::string device_code_absent_reason(int driver_version);

}  // namespace gpuarray
