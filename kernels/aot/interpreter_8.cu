// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The interpreter of programs in words of 8 bytes: gpuarray_interpreter_flat_8 and its like.
#define GPUARRAY_ONLY_WORD 8
#include "kernels/interpreter/interpreter_kernels.cuh"
