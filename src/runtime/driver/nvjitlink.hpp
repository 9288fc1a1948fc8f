// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

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
#define GPUARRAY_NVJITLINK_FUNCTIONS(FUNCTION)                                       \
  FUNCTION(nvJitLinkCreate, NvJitLinkHandle*, uint32_t, const char* const*)          \
  FUNCTION(nvJitLinkDestroy, NvJitLinkHandle*)                                       \
  FUNCTION(nvJitLinkAddData, NvJitLinkHandle, int, const void*, size_t, const char*) \
  FUNCTION(nvJitLinkComplete, NvJitLinkHandle)                                       \
  FUNCTION(nvJitLinkGetLinkedCubinSize, NvJitLinkHandle, size_t*)                    \
  FUNCTION(nvJitLinkGetLinkedCubin, NvJitLinkHandle, char*)                          \
  FUNCTION(nvJitLinkGetErrorLogSize, NvJitLinkHandle, size_t*)                       \
  FUNCTION(nvJitLinkGetErrorLog, NvJitLinkHandle, char*)                             \
  FUNCTION(nvJitLinkGetInfoLogSize, NvJitLinkHandle, size_t*)                        \
  FUNCTION(nvJitLinkGetInfoLog, NvJitLinkHandle, char*)

struct NvJitLink {
#define GPUARRAY_NVJITLINK_MEMBER(name, ...) NvJitLinkResult (*name)(__VA_ARGS__);
  GPUARRAY_NVJITLINK_FUNCTIONS(GPUARRAY_NVJITLINK_MEMBER)
#undef GPUARRAY_NVJITLINK_MEMBER
};

// nvJitLink, looked for at the first call of any of these (see load_cuda_library;
// GPUARRAY_LIBNVJITLINK).
const std::string& linker_absent_reason();  // "" if there is one
const std::string& linker_path();
int linker_version();  // 13000 is CUDA 13.0, 0 where it does not tell

// Throws DeviceError where there is none.
const NvJitLink& nvjitlink();

}  // namespace gpuarray
