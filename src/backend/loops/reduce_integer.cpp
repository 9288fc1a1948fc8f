// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#define GPUARRAY_ONLY_INTEGER
#define GPUARRAY_ADD_REDUCTIONS add_integer_reductions
#include "backend/loops/reduce.inc"
