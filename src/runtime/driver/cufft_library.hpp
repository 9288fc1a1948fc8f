// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstddef>

#include "runtime/driver/cuda_library.hpp"
#include "runtime/driver/driver_types.hpp"

namespace gpuarray {

// The declarations of cufftXt.h that are in use, because the project builds without CUDA's headers.
using CufftHandle = int;
using CufftStatus = int;
inline constexpr CufftStatus kCufftSuccess = 0;
inline constexpr CufftStatus kCufftAllocFailed = 2;
inline constexpr int kCufftForward = -1, kCufftInverse = 1;
// The values of cudaDataType that are in use.
inline constexpr int kCufftFloat32 = 0, kCufftFloat64 = 1, kCufftComplex64 = 4,
                     kCufftComplex128 = 5;

// The functions of cuFFT. A library that lacks one is not used.
#define GPUARRAY_CUFFT_FUNCTIONS(FUNCTION)                                                        \
  FUNCTION(CufftStatus, cufftGetProperty, int, int*)                                              \
  FUNCTION(CufftStatus, cufftCreate, CufftHandle*)                                                \
  FUNCTION(CufftStatus, cufftDestroy, CufftHandle)                                                \
  FUNCTION(CufftStatus, cufftSetAutoAllocation, CufftHandle, int)                                 \
  FUNCTION(CufftStatus, cufftSetStream, CufftHandle, CUstream)                                    \
  FUNCTION(CufftStatus, cufftSetWorkArea, CufftHandle, void*)                                     \
  FUNCTION(CufftStatus, cufftXtMakePlanMany, CufftHandle, int, long long*, long long*, long long, \
           long long, int, long long*, long long, long long, int, long long, size_t*, int)        \
  FUNCTION(CufftStatus, cufftXtExec, CufftHandle, void*, void*, int)

GPUARRAY_LIBRARY_TABLE(Cufft, GPUARRAY_CUFFT_FUNCTIONS)

// The library of Fourier transforms (GPUARRAY_LIBCUFFT).
extern LoadedLibrary<Cufft>& cufft_library;

// Returns the functions of cuFFT; loads the library at the first call. Throws DeviceError if there
// is none.
inline const Cufft& cufft() { return cufft_library.functions(); }

// Throws CudaError "<call>: <name of the status>", or OutOfMemory, unless the status is success.
void check_cufft(CufftStatus status, const char* call);

}  // namespace gpuarray
