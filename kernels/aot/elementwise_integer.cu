// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#define GPUARRAY_ONLY_INTEGER
#include "kernels/elementwise/elementwise_kernels.cuh"
