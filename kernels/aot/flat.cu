// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_flat_<operation>_<dtype> for the operations of hot.def and the dtypes most in use.
#define GPUARRAY_ONLY_HOT
#include "kernels/dtype_classes.def"
#include "kernels/elementwise/flat.cuh"
#include "kernels/elementwise/path_kernels.cuh"

#define GPUARRAY_HOT(name, arity, dtypes, ...) \
  GPUARRAY_FOR_##dtypes(GPUARRAY_PATH_KERNEL, flat, FlatParams, name, arity)
#include "kernels/hot.def"
