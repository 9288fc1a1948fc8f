// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/ref.hpp"
#include "py/kernel/kernel_object.hpp"

namespace gpuarray::py {

// Returns a new gpuarray.Kernel.
Ref new_kernel(KernelStatePtr state);

}  // namespace gpuarray::py
