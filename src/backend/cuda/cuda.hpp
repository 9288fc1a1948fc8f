// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/backend.hpp"

namespace gpuarray {

// Returns the backend of all CUDA devices, which lives for the process.
Backend& cuda_backend();

}  // namespace gpuarray
