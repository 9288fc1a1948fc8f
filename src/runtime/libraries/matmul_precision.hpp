// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

namespace gpuarray {

// What products of float32 and complex64 are computed in: `highest` in float32, with `high` they
// may be in TF32 (10 bits of mantissa in factors, sums in float32).
enum class MatmulPrecision : uint8_t { highest, high, of_process };

// This thread's where it is set, else the process's.
MatmulPrecision matmul_precision();
void set_matmul_precision(MatmulPrecision precision);
// of_process unsets it. Returns the one before.
MatmulPrecision set_thread_matmul_precision(MatmulPrecision precision);

}  // namespace gpuarray
