// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "runtime/driver/blocking.hpp"
#include "runtime/driver/driver_types.hpp"

namespace gpuarray {

// The CUDA driver's functions by name; filled from libcuda.so.1 at first use, never unloaded.
struct Driver {
#define GPUARRAY_DRIVER_FUNCTION(name, ...) CUresult (*name)(__VA_ARGS__);
#include "runtime/driver/driver_functions.def"
};

// The initialised driver. Throws DeviceError saying why there is none, or that it does not survive
// fork; CudaError once a failure has made it useless.
const Driver& driver();

// What was found at first use; `reason` says why `devices` is 0.
struct DriverState {
  Driver table = {};
  int version = 0;  // 12040 is CUDA 12.4
  int devices = 0;
  std::string reason;
};
const DriverState& driver_state();

// "12.4" of 12040.
std::string version_text(int version);

// Throws OutOfMemory or CudaError: "cuStreamQuery: CUDA_ERROR_INVALID_HANDLE: <text>
// (stream.cpp:41)". After an error that loses the context, which is told with the launches that may
// have caused it, driver() throws.
[[noreturn]] void throw_driver_error(CUresult status, const char* call, const char* file, int line);

inline void check_driver(CUresult status, const char* call, const char* file, int line) {
  if (status != CUDA_SUCCESS) [[unlikely]]
    throw_driver_error(status, call, file, line);
}

// Functions of the layers above that streams still have to call. Until they have run, any call of
// the driver may wait for one of them, and so for what it needs (the GIL).
extern std::atomic<int> pending_host_functions;
// Whether this thread runs one, and may not call the driver.
inline constinit thread_local bool in_host_function = false;

template <class Call>
CUresult call_driver(Call&& call) {
  if (pending_host_functions.load(std::memory_order_relaxed) == 0) [[likely]]
    return call();
  CUresult status = CUDA_SUCCESS;
  blocking([&] { status = call(); });
  return status;
}

// The status of a driver function called by name: GPUARRAY_CALL(cuStreamQuery(stream)).
#define GPUARRAY_CALL(call) ::gpuarray::call_driver([&] { return ::gpuarray::driver().call; })
// The same, which throws what is no success.
#define GPUARRAY_CHECK(call) \
  ::gpuarray::check_driver(GPUARRAY_CALL(call), #call, __FILE__, __LINE__)

// For destructors: at process exit and after fork the driver is gone, and so is what it would free.
template <class Function>
void quietly(Function&& function) noexcept {
  try {
    function();
  } catch (...) {
  }
}

inline CUdeviceptr device_address(const void* data) { return reinterpret_cast<uintptr_t>(data); }
inline CUstream stream_handle(uintptr_t handle) { return reinterpret_cast<CUstream>(handle); }

}  // namespace gpuarray
