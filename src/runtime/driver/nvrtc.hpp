// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstddef>

#include "runtime/driver/cuda_library.hpp"

namespace gpuarray {

// The declarations of nvrtc.h that are in use, because the project builds without CUDA's headers.
using NvrtcProgram = struct _nvrtcProgram*;
using NvrtcResult = int;
inline constexpr NvrtcResult kNvrtcSuccess = 0;
inline constexpr NvrtcResult kNvrtcInvalidOption = 5;
inline constexpr NvrtcResult kNvrtcCompilationError = 6;

// The compiler's functions as of CUDA 12.0. A library that lacks one is not used.
#define GPUARRAY_NVRTC_FUNCTIONS(FUNCTION)                                                \
  FUNCTION(NvrtcResult, nvrtcVersion, int*, int*)                                         \
  FUNCTION(NvrtcResult, nvrtcCreateProgram, NvrtcProgram*, const char*, const char*, int, \
           const char* const*, const char* const*)                                        \
  FUNCTION(NvrtcResult, nvrtcCompileProgram, NvrtcProgram, int, const char* const*)       \
  FUNCTION(NvrtcResult, nvrtcGetCUBINSize, NvrtcProgram, size_t*)                         \
  FUNCTION(NvrtcResult, nvrtcGetCUBIN, NvrtcProgram, char*)                               \
  FUNCTION(NvrtcResult, nvrtcGetPTXSize, NvrtcProgram, size_t*)                           \
  FUNCTION(NvrtcResult, nvrtcGetPTX, NvrtcProgram, char*)                                 \
  FUNCTION(NvrtcResult, nvrtcGetProgramLogSize, NvrtcProgram, size_t*)                    \
  FUNCTION(NvrtcResult, nvrtcGetProgramLog, NvrtcProgram, char*)                          \
  FUNCTION(NvrtcResult, nvrtcDestroyProgram, NvrtcProgram*)                               \
  FUNCTION(const char*, nvrtcGetErrorString, NvrtcResult)                                 \
  FUNCTION(NvrtcResult, nvrtcGetNumSupportedArchs, int*)                                  \
  FUNCTION(NvrtcResult, nvrtcGetSupportedArchs, int*)                                     \
  FUNCTION(NvrtcResult, nvrtcGetLTOIRSize, NvrtcProgram, size_t*)                         \
  FUNCTION(NvrtcResult, nvrtcGetLTOIR, NvrtcProgram, char*)                               \
  FUNCTION(NvrtcResult, nvrtcAddNameExpression, NvrtcProgram, const char*)                \
  FUNCTION(NvrtcResult, nvrtcGetLoweredName, NvrtcProgram, const char*, const char**)

GPUARRAY_LIBRARY_TABLE(Nvrtc, GPUARRAY_NVRTC_FUNCTIONS)

// The function of CUDA 12.8 and newer that sets the size of the heap of precompiled headers.
#define GPUARRAY_NVRTC_HEAP_FUNCTIONS(FUNCTION) FUNCTION(NvrtcResult, nvrtcSetPCHHeapSize, size_t)

GPUARRAY_OPTIONAL_TABLE(NvrtcHeap, GPUARRAY_NVRTC_HEAP_FUNCTIONS)

// The table of the library that nvrtc() has loaded.
extern NvrtcHeap nvrtc_heap;

// The run-time compiler, numbered as CUDA is (GPUARRAY_LIBNVRTC).
extern LoadedLibrary<Nvrtc>& nvrtc_library;

// Returns the compiler's functions; loads the library at the first call. Throws DeviceError if
// there is none.
inline const Nvrtc& nvrtc() { return nvrtc_library.functions(); }

}  // namespace gpuarray
