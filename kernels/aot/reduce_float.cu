// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_reduce_<reduction>_<dtype> of float32 and float64, and the averages of bool and the
// integers.
#define GPUARRAY_ONLY_FLOAT
#include "kernels/reduce/reduce_kernels.cuh"
