// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// GPUARRAY_PATH_KERNEL defines the kernel gpuarray_<path>_<name>_<dtype>: an operation of ops.def
// by one of the fast walks (paths).
#pragma once

#include "kernels/element/functors.cuh"
#include "kernels/element/inputs.cuh"

#define GPUARRAY_INPUTS_1(F, T) typename F::first
#define GPUARRAY_INPUTS_2(F, T) typename F::first, T
#define GPUARRAY_INPUTS_3(F, T) typename F::first, T, T

#define GPUARRAY_PATH_KERNEL(dtype, T, path, Params, name, arity)                     \
  extern "C" __global__ void gpuarray_##path##_##name##_##dtype(                      \
      const __grid_constant__ gpuarray::Params<1 + arity> params) {                   \
    using namespace gpuarray;                                                         \
    using F = name##_functor<T>;                                                      \
    using Out = F::result;                                                            \
    path##_kernel<Converting<F, T, Out>, Out, GPUARRAY_INPUTS_##arity(F, T)>(params); \
  }
