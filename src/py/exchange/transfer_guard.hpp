// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "array/array.hpp"

namespace gpuarray::py {

// What happens when elements in device memory are about to be copied to the host implicitly. Each
// thread has its own setting, which begins as GPUARRAY_TRANSFER_GUARD says.
enum class TransferGuard : uint8_t { allow, log, disallow };

// Applies this thread's guard to an implicit copy of the array to the host, which `what` names:
// does nothing, logs it, or throws BufferError. Does nothing for memory that the host can read.
void guard_transfer(const Array& array, const char* what);

}  // namespace gpuarray::py
