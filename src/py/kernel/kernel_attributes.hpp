// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/ref.hpp"

namespace gpuarray::py {

// Returns the attributes of the Kernel type, with a closing row of nulls.
PyGetSetDef* kernel_attributes();

}  // namespace gpuarray::py
