// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_<operation>_<dtype> for every operation of ops.def, of float32 and float64.
#define GPUARRAY_ONLY_FLOAT
#include "kernels/elementwise/elementwise_kernels.cuh"
