// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#define GPUARRAY_ONLY_HALF
#define GPUARRAY_ADD_LOOPS add_half_loops
#include "backend/host/elementwise.inc"
