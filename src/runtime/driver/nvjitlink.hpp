// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/driver/cuda_library.hpp"

namespace gpuarray {

// The declarations of nvJitLink.h that are in use, because the project builds without CUDA's
// headers.
using NvJitLinkHandle = struct _nvJitLinkHandle*;
using NvJitLinkResult = int;
inline constexpr NvJitLinkResult kLinkSuccess = 0;
inline constexpr NvJitLinkResult kLinkUnrecognizedOption = 1;
inline constexpr NvJitLinkResult kLinkUnrecognizedArch = 16;
inline constexpr NvJitLinkResult kLinkUnsupportedArch = 17;
inline constexpr NvJitLinkResult kLinkLtoNotEnabled = 18;

// The linker's functions. A library that lacks one is not used.
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

// The linker, numbered as CUDA is (GPUARRAY_LIBNVJITLINK). Before CUDA 12.4 it reports no version.
extern LoadedLibrary<NvJitLink>& nvjitlink_library;

// Returns the linker's functions; loads the library at the first call. Throws DeviceError if there
// is none.
inline const NvJitLink& nvjitlink() { return nvjitlink_library.functions(); }

}  // namespace gpuarray
