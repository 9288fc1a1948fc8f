// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <cstdint>

// Work on buffers that was recorded and runs later (array/windows/window.hpp). Whatever could see
// that it has not run yet calls run_deferred() first.
namespace gpuarray {

enum class Deferred : uint8_t {
  nothing,
  history,  // it is watched what comes after the last operations
  sketch,   // and which of their results are still in use then
  work,
};

// It is read without a lock. Where it is `nothing`, there is no need to call run_deferred().
inline constinit std::atomic<Deferred> deferred = Deferred::nothing;

inline bool is_work_deferred() {
  return deferred.load(std::memory_order_relaxed) == Deferred::work;
}

// Whether the end of an array is to be told.
inline bool are_ends_watched() {
  return deferred.load(std::memory_order_relaxed) >= Deferred::sketch;
}

// Sets the function that runs all deferred work and waits for what other threads run of it.
void set_deferred_hook(void (*run)());
// Calls it, if there is such work, else ends the history. Throws what the work throws. Thread-safe.
void run_deferred();

}  // namespace gpuarray
