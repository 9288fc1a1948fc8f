// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>

// Work on buffers that was recorded and runs later (array/window.hpp). Whatever could see that it
// has not run yet calls run_deferred() first.
namespace gpuarray {

// Whether there may be deferred work. It is read without a lock by every call from Python.
inline constinit std::atomic<bool> is_work_deferred = false;

// Sets the function that runs all deferred work and waits for what other threads run of it.
void set_deferred_hook(void (*run)());
// Calls it. Throws what the work throws. Thread-safe.
void run_deferred();

}  // namespace gpuarray
