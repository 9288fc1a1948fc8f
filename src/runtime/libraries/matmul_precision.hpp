// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

namespace gpuarray {

// The precision of products of float32 and complex64. `highest` computes in float32; `high` allows
// TF32 (factors with 10 bits of mantissa, sums in float32); `of_process` means that a thread has no
// precision of its own.
enum class MatmulPrecision : uint8_t { highest, high, of_process };

// Returns this thread's precision, or else the process's.
MatmulPrecision matmul_precision();
// Sets the process's precision.
void set_matmul_precision(MatmulPrecision precision);
// Sets this thread's precision (of_process unsets it) and returns the previous one.
MatmulPrecision set_thread_matmul_precision(MatmulPrecision precision);

}  // namespace gpuarray
