// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "core/device.hpp"

namespace gpuarray {

// Reads "cpu", "cuda" (index 0) or "cuda:N". Throws DeviceError for anything else.
Device parse_device(const std::string& text);

}  // namespace gpuarray
