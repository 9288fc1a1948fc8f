// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_reduce_<reduction>_<dtype> of the complex numbers.
#define GPUARRAY_ONLY_COMPLEX
#include "kernels/reduce/reduce_kernels.cuh"
