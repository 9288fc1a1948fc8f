// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_<operation>_<dtype> for every operation of ops.def, of the complex numbers.
#define GPUARRAY_ONLY_COMPLEX
#include "kernels/elementwise/elementwise_kernels.cuh"
