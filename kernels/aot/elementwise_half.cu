// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_<operation>_<dtype> for every operation of ops.def, of float16 and bfloat16.
#define GPUARRAY_ONLY_HALF
#include "kernels/elementwise/elementwise_kernels.cuh"
