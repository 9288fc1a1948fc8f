// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "array/ops.hpp"
#include "py/operations/elementwise.hpp"

namespace gpuarray::py {

// ops::matmul of two operands, without the GIL where it takes long. ValueError for scalars.
Array run_matmul(const Operands& operands, const Array* out = nullptr,
                 const ops::MatmulScale* scale = nullptr);

}  // namespace gpuarray::py
