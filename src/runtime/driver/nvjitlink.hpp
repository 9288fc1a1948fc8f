// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/driver/cuda_library.hpp"

namespace gpuarray {

// The part of nvJitLink.h in use: the project builds without CUDA's headers.
using NvJitLinkHandle = struct _nvJitLinkHandle*;
using NvJitLinkResult = int;
inline constexpr NvJitLinkResult kLinkSuccess = 0;
inline constexpr NvJitLinkResult kLinkUnrecognizedOption = 1;
inline constexpr NvJitLinkResult kLinkUnrecognizedArch = 16;
inline constexpr NvJitLinkResult kLinkUnsupportedArch = 17;
inline constexpr NvJitLinkResult kLinkLtoNotEnabled = 18;

// The linker's functions by name; a library without one is not used.
#define GPUARRAY_NVJITLINK_FUNCTIONS(FUNCTION)                                               \
  FUNCTION(NvJitLinkResult, nvJitLinkCreate, NvJitLinkHandle*, uint32_t, const char* const*) \
  FUNCTION(NvJitLinkResult, nvJitLinkDestroy, NvJitLinkHandle*)                              \
  FUNCTION(NvJitLinkResult, nvJitLinkAddData, NvJitLinkHandle, int, const void*, size_t,     \
           const char*)                                                                      \
  FUNCTION(NvJitLinkResult, nvJitLinkComplete, NvJitLinkHandle)                              \
  FUNCTION(NvJitLinkResult, nvJitLinkGetLinkedCubinSize, NvJitLinkHandle, size_t*)           \
  FUNCTION(NvJitLinkResult, nvJitLinkGetLinkedCubin, NvJitLinkHandle, char*)                 \
  FUNCTION(NvJitLinkResult, nvJitLinkGetErrorLogSize, NvJitLinkHandle, size_t*)              \
  FUNCTION(NvJitLinkResult, nvJitLinkGetErrorLog, NvJitLinkHandle, char*)                    \
  FUNCTION(NvJitLinkResult, nvJitLinkGetInfoLogSize, NvJitLinkHandle, size_t*)               \
  FUNCTION(NvJitLinkResult, nvJitLinkGetInfoLog, NvJitLinkHandle, char*)

GPUARRAY_LIBRARY_TABLE(NvJitLink, GPUARRAY_NVJITLINK_FUNCTIONS)

// The linker, numbered as CUDA is; before CUDA 12.4 it tells no version (GPUARRAY_LIBNVJITLINK).
extern LoadedLibrary<NvJitLink>& nvjitlink_library;

// Throws DeviceError where there is none.
inline const NvJitLink& nvjitlink() { return nvjitlink_library.functions(); }

}  // namespace gpuarray
