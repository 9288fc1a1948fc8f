// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/driver/cuda_library.hpp"
#include "runtime/driver/driver_types.hpp"
#include "runtime/driver/typed_functions.hpp"

namespace gpuarray {

// The declarations of cublas_v2.h that are in use, because the project builds without CUDA's
// headers.
using CublasHandle = struct cublasContext*;
using CublasStatus = int;
inline constexpr CublasStatus kCublasSuccess = 0;
inline constexpr CublasStatus kCublasAllocFailed = 3;
inline constexpr CublasStatus kCublasInvalidValue = 7;
inline constexpr CublasStatus kCublasArchMismatch = 8;
inline constexpr CublasStatus kCublasNotSupported = 15;
inline constexpr int kCublasNoTranspose = 0, kCublasTranspose = 1;
inline constexpr int kCublasDefaultAlgorithm = -1;
// CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION: partial sums are not rounded to 16 bits.
inline constexpr int kCublasMath = 16;

inline constexpr int kCublasConjugateTranspose = 2;
inline constexpr int kCublasLower = 0, kCublasUpper = 1;
inline constexpr int kCublasLeft = 0;
inline constexpr int kCublasNonUnit = 0, kCublasUnit = 1;

// The functions of cuBLAS. A library that lacks one is not used.
#define GPUARRAY_CUBLAS_FUNCTIONS(FUNCTION)                                                       \
  FUNCTION(CublasStatus, cublasGetProperty, int, int*)                                            \
  FUNCTION(const char*, cublasGetStatusName, CublasStatus)                                        \
  FUNCTION(const char*, cublasGetStatusString, CublasStatus)                                      \
  FUNCTION(CublasStatus, cublasCreate_v2, CublasHandle*)                                          \
  FUNCTION(CublasStatus, cublasSetMathMode, CublasHandle, int)                                    \
  FUNCTION(CublasStatus, cublasSetStream_v2, CublasHandle, CUstream)                              \
  FUNCTION(CublasStatus, cublasSetWorkspace_v2, CublasHandle, void*, size_t)                      \
  FUNCTION(CublasStatus, cublasGemmEx_64, CublasHandle, int, int, int64_t, int64_t, int64_t,      \
           const void*, const void*, int, int64_t, const void*, int, int64_t, const void*, void*, \
           int, int64_t, int, int)                                                                \
  FUNCTION(CublasStatus, cublasGemmStridedBatchedEx_64, CublasHandle, int, int, int64_t, int64_t, \
           int64_t, const void*, const void*, int, int64_t, long long, const void*, int, int64_t, \
           long long, const void*, void*, int, int64_t, long long, int64_t, int, int)

// The functions of cuBLAS that solve, for each type of element. Matrices of a batch are given by
// arrays of pointers on the device.
#define GPUARRAY_CUBLAS_SOLVERS(FUNCTION)                                                         \
  FUNCTION(CublasStatus, getrf_batched, "cublas%getrfBatched", CublasHandle, int, void* const*,   \
           int, int*, int*, int)                                                                  \
  FUNCTION(CublasStatus, getrs_batched, "cublas%getrsBatched", CublasHandle, int, int, int,       \
           const void* const*, int, const int*, void* const*, int, int*, int)                     \
  FUNCTION(CublasStatus, geqrf_batched, "cublas%geqrfBatched", CublasHandle, int, int,            \
           void* const*, int, void* const*, int*, int)                                            \
  FUNCTION(CublasStatus, trsm, "cublas%trsm_v2_64", CublasHandle, int, int, int, int, int64_t,    \
           int64_t, const void*, const void*, int64_t, void*, int64_t)                            \
  FUNCTION(CublasStatus, trsm_batched, "cublas%trsmBatched_64", CublasHandle, int, int, int, int, \
           int64_t, int64_t, const void*, const void* const*, int64_t, void* const*, int64_t,     \
           int64_t)

GPUARRAY_LIBRARY_TABLE(CublasProducts, GPUARRAY_CUBLAS_FUNCTIONS)
GPUARRAY_TYPED_TABLE(CublasSolvers, GPUARRAY_CUBLAS_SOLVERS)

// The table of both. A library without some of the solvers is used for the rest.
struct Cublas : CublasProducts, CublasSolvers {
  void find_all(FunctionFinder& find) {
    CublasProducts::find_all(find);
    find_typed(find);
  }
};

// The library of matrix products (GPUARRAY_LIBCUBLAS).
extern LoadedLibrary<Cublas>& cublas_library;

// Returns the functions of cuBLAS; loads the library at the first call. Throws DeviceError if there
// is none.
inline const Cublas& cublas() { return cublas_library.functions(); }

}  // namespace gpuarray
