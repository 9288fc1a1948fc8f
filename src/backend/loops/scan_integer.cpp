// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#define GPUARRAY_ONLY_INTEGER
#define GPUARRAY_ADD_SCANS add_integer_scans
#include "backend/loops/scan.inc"
