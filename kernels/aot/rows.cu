// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_rows_<operation>_<dtype> for the operations of hot.def on both paths and the dtypes most
// in use.
#define GPUARRAY_ONLY_HOT
#include "kernels/dtype_classes.def"
#include "kernels/elementwise/path_kernels.cuh"
#include "kernels/elementwise/rows.cuh"

#define GPUARRAY_ROWS_FLAT(...)
#define GPUARRAY_ROWS_BOTH(name, arity, dtypes) \
  GPUARRAY_FOR_##dtypes(GPUARRAY_PATH_KERNEL, rows, RowsParams, name, arity)
#define GPUARRAY_HOT(name, arity, dtypes, paths) GPUARRAY_ROWS_##paths(name, arity, dtypes)
#include "kernels/hot.def"
