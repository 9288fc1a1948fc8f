// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/driver/cuda_library.hpp"
#include "runtime/driver/driver_types.hpp"
#include "runtime/driver/typed_functions.hpp"

namespace gpuarray {

// The declarations of cusolverDn.h that are in use, because the project builds without CUDA's
// headers. Types of elements are cudaDataType, as in BlasType.
using CusolverHandle = struct cusolverDnContext*;
using CusolverParams = struct cusolverDnParams*;
using CusolverStatus = int;
inline constexpr CusolverStatus kCusolverSuccess = 0;
inline constexpr CusolverStatus kCusolverAllocFailed = 2;
inline constexpr int kCusolverNoVectors = 0, kCusolverVectors = 1;

// The functions of cuSOLVER. A library that lacks one is not used.
#define GPUARRAY_CUSOLVER_FUNCTIONS(FUNCTION)                                                     \
  FUNCTION(CusolverStatus, cusolverGetProperty, int, int*)                                        \
  FUNCTION(CusolverStatus, cusolverDnCreate, CusolverHandle*)                                     \
  FUNCTION(CusolverStatus, cusolverDnSetStream, CusolverHandle, CUstream)                         \
  FUNCTION(CusolverStatus, cusolverDnCreateParams, CusolverParams*)                               \
  FUNCTION(CusolverStatus, cusolverDnXgetrf_bufferSize, CusolverHandle, CusolverParams, int64_t,  \
           int64_t, int, const void*, int64_t, int, size_t*, size_t*)                             \
  FUNCTION(CusolverStatus, cusolverDnXgetrf, CusolverHandle, CusolverParams, int64_t, int64_t,    \
           int, void*, int64_t, int64_t*, int, void*, size_t, void*, size_t, int*)                \
  FUNCTION(CusolverStatus, cusolverDnXgetrs, CusolverHandle, CusolverParams, int, int64_t,        \
           int64_t, int, const void*, int64_t, const int64_t*, int, void*, int64_t, int*)         \
  FUNCTION(CusolverStatus, cusolverDnXpotrf_bufferSize, CusolverHandle, CusolverParams, int,      \
           int64_t, int, const void*, int64_t, int, size_t*, size_t*)                             \
  FUNCTION(CusolverStatus, cusolverDnXpotrf, CusolverHandle, CusolverParams, int, int64_t, int,   \
           void*, int64_t, int, void*, size_t, void*, size_t, int*)                               \
  FUNCTION(CusolverStatus, cusolverDnXgeqrf_bufferSize, CusolverHandle, CusolverParams, int64_t,  \
           int64_t, int, const void*, int64_t, int, const void*, int, size_t*, size_t*)           \
  FUNCTION(CusolverStatus, cusolverDnXgeqrf, CusolverHandle, CusolverParams, int64_t, int64_t,    \
           int, void*, int64_t, int, void*, int, void*, size_t, void*, size_t, int*)              \
  FUNCTION(CusolverStatus, cusolverDnXsyevd_bufferSize, CusolverHandle, CusolverParams, int, int, \
           int64_t, int, const void*, int64_t, int, const void*, int, size_t*, size_t*)           \
  FUNCTION(CusolverStatus, cusolverDnXsyevd, CusolverHandle, CusolverParams, int, int, int64_t,   \
           int, void*, int64_t, int, void*, int, void*, size_t, void*, size_t, int*)              \
  FUNCTION(CusolverStatus, cusolverDnXgesvd_bufferSize, CusolverHandle, CusolverParams,           \
           signed char, signed char, int64_t, int64_t, int, const void*, int64_t, int,            \
           const void*, int, const void*, int64_t, int, const void*, int64_t, int, size_t*,       \
           size_t*)                                                                               \
  FUNCTION(CusolverStatus, cusolverDnXgesvd, CusolverHandle, CusolverParams, signed char,         \
           signed char, int64_t, int64_t, int, void*, int64_t, int, void*, int, void*, int64_t,   \
           int, void*, int64_t, int, void*, size_t, void*, size_t, int*)

// The functions for each type of element.
#define GPUARRAY_CUSOLVER_TYPED(FUNCTION)                                                      \
  FUNCTION(CusolverStatus, gqr_buffer_size, "cusolverDn%$gqr_bufferSize", CusolverHandle, int, \
           int, int, const void*, int, const void*, int*)                                      \
  FUNCTION(CusolverStatus, gqr, "cusolverDn%$gqr", CusolverHandle, int, int, int, void*, int,  \
           const void*, void*, int, int*)                                                      \
  FUNCTION(CusolverStatus, potrf_batched, "cusolverDn%potrfBatched", CusolverHandle, int, int, \
           void* const*, int, int*, int)

// The functions that came later, null in a library that lacks them.
#define GPUARRAY_CUSOLVER_LATER(FUNCTION)                                                          \
  FUNCTION(CusolverStatus, cusolverDnXsyevBatched_bufferSize, CusolverHandle, CusolverParams, int, \
           int, int64_t, int, const void*, int64_t, int, const void*, int, size_t*, size_t*,       \
           int64_t)                                                                                \
  FUNCTION(CusolverStatus, cusolverDnXsyevBatched, CusolverHandle, CusolverParams, int, int,       \
           int64_t, int, void*, int64_t, int, void*, int, void*, size_t, void*, size_t, int*,      \
           int64_t)                                                                                \
  FUNCTION(CusolverStatus, cusolverDnXgeev_bufferSize, CusolverHandle, CusolverParams, int, int,   \
           int64_t, int, const void*, int64_t, int, const void*, int, const void*, int64_t, int,   \
           const void*, int64_t, int, size_t*, size_t*)                                            \
  FUNCTION(CusolverStatus, cusolverDnXgeev, CusolverHandle, CusolverParams, int, int, int64_t,     \
           int, void*, int64_t, int, void*, int, void*, int64_t, int, void*, int64_t, int, void*,  \
           size_t, void*, size_t, int*)

GPUARRAY_LIBRARY_TABLE(CusolverMatrices, GPUARRAY_CUSOLVER_FUNCTIONS)
GPUARRAY_TYPED_TABLE(CusolverTyped, GPUARRAY_CUSOLVER_TYPED)
GPUARRAY_OPTIONAL_TABLE(CusolverLater, GPUARRAY_CUSOLVER_LATER)

// The table of all.
struct Cusolver : CusolverMatrices, CusolverTyped, CusolverLater {
  void find_all(FunctionFinder& find) {
    CusolverMatrices::find_all(find);
    find_typed(find);
    find_optional(find);
  }
};

// The library of factorizations (GPUARRAY_LIBCUSOLVER).
extern LoadedLibrary<Cusolver>& cusolver_library;

// Returns the functions of cuSOLVER; loads cuBLAS, which it uses, and then the library at the first
// call. Throws DeviceError if there is none.
const Cusolver& cusolver();

}  // namespace gpuarray
