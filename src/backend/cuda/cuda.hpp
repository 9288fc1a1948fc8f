// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/backend.hpp"

namespace gpuarray {

// The backend of all CUDA devices; lives for the process.
Backend& cuda_backend();

}  // namespace gpuarray
