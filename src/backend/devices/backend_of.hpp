// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/backend.hpp"
#include "core/device.hpp"

namespace gpuarray {

// Returns the backend that runs plans on the device, which lives for the process.
Backend& backend_of(Device device);

}  // namespace gpuarray
