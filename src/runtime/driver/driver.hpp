// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "runtime/driver/blocking.hpp"
#include "runtime/driver/driver_types.hpp"

namespace gpuarray {

// The CUDA driver's functions by name. The table is filled from libcuda.so.1 (or the file that
// GPUARRAY_LIBCUDA names) at the first use; the library is never unloaded.
struct Driver {
#define GPUARRAY_DRIVER_FUNCTION(name, ...) CUresult (*name)(__VA_ARGS__);
#include "runtime/driver/driver_functions.def"
};

// Returns the table of the initialised driver. Throws DeviceError with the reason if there is no
// usable CUDA device, in a child of fork and at the end of the process; CudaError once an error has
// lost the context.
const Driver& driver();

// What was found when the driver was first used. `reason` says why `devices` is 0.
struct DriverState {
  Driver table = {};
  int version = 0;  // version of CUDA that the driver supports, 12040 for 12.4
  int devices = 0;
  std::string reason;
};
// Returns what was found, and looks for the driver at the first call. Never throws for a missing
// driver.
const DriverState& driver_state();

// Formats a version of CUDA: "12.4" for 12040.
std::string version_text(int version);

// Throws the exception for a failed call: OutOfMemory, CaptureError, or CudaError "cuStreamQuery:
// CUDA_ERROR_INVALID_HANDLE: <text> (stream.cpp:41)". An error that loses the context is reported
// with the launches that may have caused it, and from then on driver() throws.
[[noreturn]] void throw_driver_error(CUresult status, const char* call, const char* file, int line);

// Does nothing for CUDA_SUCCESS, else throws as throw_driver_error().
inline void check_driver(CUresult status, const char* call, const char* file, int line) {
  if (status != CUDA_SUCCESS) [[unlikely]]
    throw_driver_error(status, call, file, line);
}

// The number of host functions that streams still have to call. Until they have run, any call of
// the driver may wait for one of them, and so for what it needs, such as the GIL.
extern std::atomic<int> pending_host_functions;
// Whether this thread is running a host function, in which CUDA forbids calls of the driver.
inline constinit thread_local bool in_host_function = false;

// Calls the driver by call(), through blocking() while host functions are pending.
template <class Call>
CUresult call_driver(Call&& call) {
  if (pending_host_functions.load(std::memory_order_relaxed) == 0) [[likely]]
    return call();
  CUresult status = CUDA_SUCCESS;
  blocking([&] { status = call(); });
  return status;
}

// GPUARRAY_CALL(cuStreamQuery(stream)) calls a function of the driver by name and gives its status.
// Throws as driver().
#define GPUARRAY_CALL(call) ::gpuarray::call_driver([&] { return ::gpuarray::driver().call; })
// Calls a function of the driver as GPUARRAY_CALL does, and throws unless it succeeds.
#define GPUARRAY_CHECK(call) \
  ::gpuarray::check_driver(GPUARRAY_CALL(call), #call, __FILE__, __LINE__)

// Runs function() and swallows what it throws. It is for destructors: at process exit and after
// fork the driver is gone, and with it what they would free.
template <class Function>
void quietly(Function&& function) noexcept {
  try {
    function();
  } catch (...) {
  }
}

// Convert the pointers and numbers that the runtime keeps to the driver's types.
inline CUdeviceptr device_address(const void* data) { return reinterpret_cast<uintptr_t>(data); }
inline CUstream stream_handle(uintptr_t handle) { return reinterpret_cast<CUstream>(handle); }

}  // namespace gpuarray
