// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#define GPUARRAY_ONLY_FLOAT
#define GPUARRAY_ADD_REDUCTIONS add_float_reductions
#include "backend/loops/reduce.inc"
