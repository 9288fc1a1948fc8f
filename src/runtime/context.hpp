// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "core/device.hpp"

namespace gpuarray {

// The device's primary context, which other libraries share; retained at the first call and never
// released.
void* primary_context(Device device);

}  // namespace gpuarray
