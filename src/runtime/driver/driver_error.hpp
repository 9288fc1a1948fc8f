// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "core/launch.hpp"
#include "runtime/driver/driver_types.hpp"

namespace gpuarray {

// Why no call of the driver can succeed any more.
struct DriverEnd;
extern std::atomic<const DriverEnd*> driver_end;  // null while calls can

// DeviceError in a forked child and at the end of the process, CudaError once a context is lost.
[[noreturn]] void throw_driver_end();

// Throws what `driver()` throws, at the price of a comparison; for what must not wait for a lock
// that another thread held when the process was forked.
inline void require_driver() {
  if (driver_end.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
    throw_driver_end();
}

// For a child of fork, and for the end of the process.
void end_driver_in_child();
void end_driver_at_exit();

// What a failure of the calling thread's context may come from.
struct Suspects {
  Device device;                 // of the context; cpu if it cannot be told
  std::vector<Launch> launches;  // those not known to be done, newest first
};
// How they are found, for the launch log to say before the first call of the driver.
void set_suspect_finder(Suspects (*find)() noexcept);

struct Driver;
// "CUDA_ERROR_INVALID_HANDLE: <what the driver says>".
std::string error_text(const Driver& table, CUresult status);

}  // namespace gpuarray
