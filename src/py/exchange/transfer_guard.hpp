// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "array/array.hpp"

namespace gpuarray::py {

// What happens when elements of a CUDA device are about to be copied to the host without being
// asked for by name. One for each thread; GPUARRAY_TRANSFER_GUARD is what threads begin with.
enum class TransferGuard : uint8_t { allow, log, disallow };

// Passes, logs or throws BufferError naming `what`, as the thread's guard says. Nothing for
// arrays that the host sees.
void guard_transfer(const Array& array, const char* what);

}  // namespace gpuarray::py
