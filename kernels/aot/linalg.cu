// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_factors_<name>, and for each inexact dtype of LAPACK gpuarray_factors_<name>_<dtype>;
// gpuarray_small_<op>_<dtype>_<n> for the operations and sizes that programs call for millions of
// matrices; gpuarray_norms_<kind>_<dtype>.
#include "kernels/linalg/factors.cuh"
#include "kernels/linalg/norms.cuh"
#include "kernels/linalg/tiny_matrices.cuh"

using namespace gpuarray;

#define GPUARRAY_FACTORS_KERNEL(name, Params)                     \
  extern "C" __global__ void __launch_bounds__(kFactorsBlock)     \
      gpuarray_factors_##name(const __grid_constant__ Params p) { \
    name##_kernel(p);                                             \
  }
GPUARRAY_FACTORS_KERNEL(pointers, PointersParams)
GPUARRAY_FACTORS_KERNEL(info, InfoParams)
GPUARRAY_FACTORS_KERNEL(permutation, PermutationParams)

#define GPUARRAY_FACTORS_KERNELS(dtype, T)                                          \
  extern "C" __global__ void __launch_bounds__(kFactorsBlock)                       \
      gpuarray_factors_det_##dtype(const __grid_constant__ DetParams p) {           \
    det_kernel<T>(p);                                                               \
  }                                                                                 \
  extern "C" __global__ void __launch_bounds__(kFactorsBlock)                       \
      gpuarray_factors_triangle_##dtype(const __grid_constant__ TriangleParams p) { \
    triangle_kernel<T>(p);                                                          \
  }                                                                                 \
  extern "C" __global__ void __launch_bounds__(kFactorsBlock)                       \
      gpuarray_factors_form_q_##dtype(const __grid_constant__ FormQParams p) {      \
    form_q_kernel<T>(p);                                                            \
  }
GPUARRAY_FACTORS_KERNELS(float32, float)
GPUARRAY_FACTORS_KERNELS(float64, double)
GPUARRAY_FACTORS_KERNELS(complex64, complex<float>)
GPUARRAY_FACTORS_KERNELS(complex128, complex<double>)

#define GPUARRAY_SMALL_KERNEL(op, dtype, T, n)                                                \
  extern "C" __global__ void __launch_bounds__(kTinyBlock, 1)                                 \
      gpuarray_small_##op##_##dtype##_##n(const __grid_constant__ SmallMatrixParams params) { \
    linalg::tiny_matrices_kernel<T, n, SmallMatrixOp::op>(params);                            \
  }
#define GPUARRAY_SMALL_SIZES(op, dtype, T) \
  GPUARRAY_SMALL_KERNEL(op, dtype, T, 2)   \
  GPUARRAY_SMALL_KERNEL(op, dtype, T, 3)   \
  GPUARRAY_SMALL_KERNEL(op, dtype, T, 4)
#define GPUARRAY_SMALL_OPERATIONS(dtype, T)    \
  GPUARRAY_SMALL_SIZES(solve_vector, dtype, T) \
  GPUARRAY_SMALL_SIZES(inv, dtype, T)          \
  GPUARRAY_SMALL_SIZES(det, dtype, T)          \
  GPUARRAY_SMALL_SIZES(cholesky, dtype, T)     \
  GPUARRAY_SMALL_SIZES(eigh, dtype, T)
GPUARRAY_SMALL_OPERATIONS(float32, float)
GPUARRAY_SMALL_OPERATIONS(float64, double)

#define GPUARRAY_NORMS_KERNEL(kind, from, dtype, T)                            \
  extern "C" __global__ void __launch_bounds__(kNormsBlock)                    \
      gpuarray_norms_##kind##_##dtype(const __grid_constant__ NormsParams p) { \
    linalg::norms_kernel<from, T, NormsKind::kind>(p);                         \
  }
#define GPUARRAY_NORMS_KERNELS(dtype, T)     \
  GPUARRAY_NORMS_KERNEL(thread, T, dtype, T) \
  GPUARRAY_NORMS_KERNEL(warp, T, dtype, T)   \
  GPUARRAY_NORMS_KERNEL(block, T, dtype, T)  \
  GPUARRAY_NORMS_KERNEL(parts, T, dtype, T)  \
  GPUARRAY_NORMS_KERNEL(totals, double, dtype, T)
GPUARRAY_NORMS_KERNELS(float32, float)
GPUARRAY_NORMS_KERNELS(float64, double)
