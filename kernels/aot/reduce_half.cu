// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_reduce_<reduction>_<dtype> of float16 and bfloat16.
#define GPUARRAY_ONLY_HALF
#include "kernels/reduce/reduce_kernels.cuh"
