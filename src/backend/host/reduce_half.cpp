// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#define GPUARRAY_ONLY_HALF
#define GPUARRAY_ADD_REDUCTIONS add_half_reductions
#include "backend/host/reduce.inc"
