// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#define GPUARRAY_ONLY_COMPLEX
#define GPUARRAY_ADD_LOOPS add_complex_loops
#include "backend/loops/elementwise.inc"
