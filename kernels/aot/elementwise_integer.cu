// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_<operation>_<dtype> for every operation of ops.def, of bool and the integers.
#define GPUARRAY_ONLY_INTEGER
#include "kernels/elementwise/elementwise_kernels.cuh"
