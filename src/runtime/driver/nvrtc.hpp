// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gpuarray {

// The part of nvrtc.h in use: the project builds without CUDA's headers.
using NvrtcProgram = struct _nvrtcProgram*;
using NvrtcResult = int;
inline constexpr NvrtcResult kNvrtcSuccess = 0;
inline constexpr NvrtcResult kNvrtcInvalidOption = 5;
inline constexpr NvrtcResult kNvrtcCompilationError = 6;

// The run-time compiler's functions by name, as of CUDA 12.0; a library without one is not used.
#define GPUARRAY_NVRTC_FUNCTIONS(FUNCTION)                                                \
  FUNCTION(nvrtcVersion, NvrtcResult, int*, int*)                                         \
  FUNCTION(nvrtcCreateProgram, NvrtcResult, NvrtcProgram*, const char*, const char*, int, \
           const char* const*, const char* const*)                                        \
  FUNCTION(nvrtcCompileProgram, NvrtcResult, NvrtcProgram, int, const char* const*)       \
  FUNCTION(nvrtcGetCUBINSize, NvrtcResult, NvrtcProgram, size_t*)                         \
  FUNCTION(nvrtcGetCUBIN, NvrtcResult, NvrtcProgram, char*)                               \
  FUNCTION(nvrtcGetPTXSize, NvrtcResult, NvrtcProgram, size_t*)                           \
  FUNCTION(nvrtcGetPTX, NvrtcResult, NvrtcProgram, char*)                                 \
  FUNCTION(nvrtcGetProgramLogSize, NvrtcResult, NvrtcProgram, size_t*)                    \
  FUNCTION(nvrtcGetProgramLog, NvrtcResult, NvrtcProgram, char*)                          \
  FUNCTION(nvrtcDestroyProgram, NvrtcResult, NvrtcProgram*)                               \
  FUNCTION(nvrtcGetErrorString, const char*, NvrtcResult)                                 \
  FUNCTION(nvrtcGetNumSupportedArchs, NvrtcResult, int*)                                  \
  FUNCTION(nvrtcGetSupportedArchs, NvrtcResult, int*)                                     \
  FUNCTION(nvrtcGetLTOIRSize, NvrtcResult, NvrtcProgram, size_t*)                         \
  FUNCTION(nvrtcGetLTOIR, NvrtcResult, NvrtcProgram, char*)                               \
  FUNCTION(nvrtcAddNameExpression, NvrtcResult, NvrtcProgram, const char*)                \
  FUNCTION(nvrtcGetLoweredName, NvrtcResult, NvrtcProgram, const char*, const char**)

struct Nvrtc {
#define GPUARRAY_NVRTC_MEMBER(name, result, ...) result (*name)(__VA_ARGS__);
  GPUARRAY_NVRTC_FUNCTIONS(GPUARRAY_NVRTC_MEMBER)
#undef GPUARRAY_NVRTC_MEMBER
};

// NVRTC, looked for at the first call of any of these (see load_cuda_library; GPUARRAY_LIBNVRTC).
bool compiler_available();
// Why there is none, "" if there is one.
const std::string& compiler_absent_reason();
// The file, and its version as in 13000 for CUDA 13.0; "" and 0 without one.
const std::string& compiler_path();
int compiler_version();
int64_t compiler_bytes();  // the file's size

// Throws DeviceError where there is none.
const Nvrtc& nvrtc();

}  // namespace gpuarray
