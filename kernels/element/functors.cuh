// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The functors of all rows of ops.def, for kernels that are built ahead. A kernel that is compiled
// at run time defines only the functors that it uses (src/backend/kernel_source.cpp).
#pragma once

#include "kernels/element/functor.cuh"
#include "kernels/element/math.cuh"

namespace gpuarray {

#define GPUARRAY_UNARY(name, slot, dtypes, rule_, expression, doc) \
  GPUARRAY_FUNCTOR(name, 1, rule_, (first a), expression)
#define GPUARRAY_BINARY(name, slot, dtypes, rule_, expression, doc) \
  GPUARRAY_FUNCTOR(name, 2, rule_, (first a, T b), expression)
#define GPUARRAY_TERNARY(name, slot, dtypes, rule_, expression, doc) \
  GPUARRAY_FUNCTOR(name, 3, rule_, (first a, T b, T c), expression)
#include "kernels/ops.def"

}  // namespace gpuarray
