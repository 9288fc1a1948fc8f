// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "core/launch.hpp"
#include "runtime/driver/driver_types.hpp"

namespace gpuarray {

// The reason why no call of the driver can succeed any more: the context is lost, this process is a
// child of fork, or it is ending.
struct DriverEnd;
extern std::atomic<const DriverEnd*> driver_end;  // null while the driver can be used

// Throws the reason in driver_end, which must not be null: DeviceError in a forked child and at the
// end of the process, CudaError once a context is lost.
[[noreturn]] void throw_driver_end();

// Throws what driver() throws if the driver can no longer be used. It costs one comparison, and is
// called before taking a lock that another thread may have held when the process was forked.
inline void require_driver() {
  if (driver_end.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
    throw_driver_end();
}

// Throws DeviceError in a child of fork that cannot use the driver.
void require_driver_of_process();

// Make the driver unusable: in a child of fork, and at the end of the process.
void end_driver_in_child();
void end_driver_at_exit();

// What may have caused a failure of the calling thread's context.
struct Suspects {
  Device device;                 // device of the context; cpu if it is not known
  std::vector<Launch> launches;  // launches that are not known to be done, newest first
};
// Sets the function that finds the suspects of a failure. The launch log sets it when the library
// is loaded.
void set_suspect_finder(Suspects (*find)() noexcept);

struct Driver;
// Returns the driver's name and text of an error: "CUDA_ERROR_INVALID_HANDLE: <text>".
std::string error_text(const Driver& table, CUresult status);

}  // namespace gpuarray
