// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "array/array.hpp"
#include "py/ref.hpp"

namespace gpuarray::py {

// What may be assigned to elements of `target`: a GPUArray or a scalar. TypeError "<what>: ..." for
// anything else and for a complex scalar to real elements; ValueError or OverflowError for NaN or
// infinity to integers.
Operand assigned_value(PyObject* value, DType target, const char* what);

}  // namespace gpuarray::py
