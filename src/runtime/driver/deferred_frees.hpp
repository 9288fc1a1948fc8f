// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "runtime/driver/driver.hpp"

// Host functions may not call the driver. What they were the last to use (streams, events, memory,
// ...) is left behind there, for the next call of the package that may end it.
namespace gpuarray {

// Keeps what it shares until run_deferred_frees(). Thread-safe.
void defer_free(std::shared_ptr<const void> shared) noexcept;
// Gives up a share of what calls the driver when it ends.
template <class T>
void release_or_defer(std::shared_ptr<T> shared) noexcept {
  if (in_host_function && shared != nullptr) defer_free(std::move(shared));
}

extern std::atomic<bool> any_deferred_frees;
void run_all_deferred_frees() noexcept;
// For calls that hold no lock of the runtime; in a host function nothing ends.
inline void run_deferred_frees() noexcept {
  if (any_deferred_frees.load(std::memory_order_relaxed)) [[unlikely]]
    run_all_deferred_frees();
}

}  // namespace gpuarray
