// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#define GPUARRAY_ONLY_FLOAT
#define GPUARRAY_ADD_LOOPS add_float_loops
#include "backend/loops/elementwise.inc"
