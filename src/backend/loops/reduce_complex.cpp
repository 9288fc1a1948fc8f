// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#define GPUARRAY_ONLY_COMPLEX
#define GPUARRAY_ADD_REDUCTIONS add_complex_reductions
#include "backend/loops/reduce.inc"
