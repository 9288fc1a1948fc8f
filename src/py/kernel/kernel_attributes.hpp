// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/ref.hpp"

namespace gpuarray::py {

// What a Kernel tells of itself, for kernel_type.cpp: closed with a row of nulls.
PyGetSetDef* kernel_attributes();

}  // namespace gpuarray::py
