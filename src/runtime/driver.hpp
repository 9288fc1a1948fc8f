// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// The CUDA driver as a table of function pointers, found at run time: neither the build nor the
// import needs CUDA.
namespace gpuarray {

struct Driver {
#define GPUARRAY_DRIVER(name, arguments) int(*name) arguments = nullptr;
#include "runtime/driver.def"
  int version = 0;  // 13000 for CUDA 13.0
};

// Statuses that are told apart (cuda.h, CUresult).
inline constexpr int kCudaSuccess = 0;
inline constexpr int kCudaOutOfMemory = 2;
inline constexpr int kCudaDeinitialized = 4;
inline constexpr int kCudaNoBinaryForGpu = 209;
inline constexpr int kCudaUnsupportedPtxVersion = 222;
inline constexpr int kCudaNotFound = 500;
inline constexpr int kCudaNotReady = 600;

// Filled at the first call; null without a usable driver, and `driver_absent_reason` says why.
const Driver* find_driver();
const std::string& driver_absent_reason();

// The table; throws DeviceError without a driver, or in a child of a fork that inherited one.
const Driver& driver();

// Throws CudaError "cuStreamWaitEvent: CUDA_ERROR_INVALID_HANDLE: <text> (stream.cpp:41)".
void check_driver(int status, const char* call, const char* file, int line);

// GPUARRAY_CHECK(cuEventRecord(event, stream)) calls through the table and throws on failure.
#define GPUARRAY_CHECK(...) \
  ::gpuarray::check_driver(::gpuarray::driver().__VA_ARGS__, #__VA_ARGS__, __FILE__, __LINE__)

}  // namespace gpuarray
