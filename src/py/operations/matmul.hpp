// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "array/ops.hpp"
#include "py/operations/elementwise.hpp"

namespace gpuarray::py {

// Calls ops::matmul on two operands; releases the GIL if that runs long on the host. Throws
// ValueError if one of them is a scalar.
Array run_matmul(const Operands& operands, const Array* out = nullptr,
                 const ops::MatmulScale* scale = nullptr);

}  // namespace gpuarray::py
