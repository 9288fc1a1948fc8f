// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#define GPUARRAY_ONLY_COMPLEX
#include "kernels/reduce/reduce_kernels.cuh"
