// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_sort_<name> for each row of sort.def.
#include "kernels/sort/distinct.cuh"
#include "kernels/sort/select_rows.cuh"
#include "kernels/sort/sort_rows.cuh"
#include "kernels/sort/sort_runs.cuh"

using namespace gpuarray;

#define GPUARRAY_SORT_KERNEL(name, params_type, expression)                                     \
  extern "C" __global__ void gpuarray_sort_##name(const __grid_constant__ params_type params) { \
    expression(params);                                                                         \
  }
#include "kernels/sort.def"
