// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/devices/backend_of.hpp"

#include "backend/cuda/cuda.hpp"
#include "backend/host/host.hpp"

namespace gpuarray {

Backend& backend_of(Device device) { return device.is_cpu() ? host_backend() : cuda_backend(); }

}  // namespace gpuarray
