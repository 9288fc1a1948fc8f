// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>

// Work on buffers that was recorded and runs later (array/windows/window.hpp). Whatever could see
// that it has not run yet calls run_deferred() first.
namespace gpuarray {

// Whether there is deferred work. It is read without a lock, as is the next.
inline constinit std::atomic<bool> is_work_deferred = false;
// Whether calls from Python have to call run_deferred(): because there is such work, or because
// what comes between operations is watched.
inline constinit std::atomic<bool> are_calls_watched = false;

// Sets the function that runs all deferred work and waits for what other threads run of it.
void set_deferred_hook(void (*run)());
// Calls it. Throws what the work throws. Thread-safe.
void run_deferred();

}  // namespace gpuarray
