// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_reduce_<reduction>_<dtype> of bool and the integers, and the sums and products that
// widen them.
#define GPUARRAY_ONLY_INTEGER
#include "kernels/reduce/reduce_kernels.cuh"
