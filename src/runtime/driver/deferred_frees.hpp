// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "runtime/driver/driver.hpp"

// CUDA forbids host functions (callbacks of a stream) to call the driver. When such a function
// drops the last reference to a stream, an event or memory, the object is kept here, and the next
// call of the package that may use the driver destroys it.
namespace gpuarray {

// Keeps a reference until run_deferred_frees(). Thread-safe. The reference is lost, and the object
// destroyed, where the host has no memory to keep it.
void defer_free(std::shared_ptr<const void> shared) noexcept;
// Drops a reference to an object whose destructor calls the driver; defers that in a host function.
template <class T>
void release_or_defer(std::shared_ptr<T> shared) noexcept {
  if (in_host_function && shared != nullptr) defer_free(std::move(shared));
}

// Whether anything is kept.
extern std::atomic<bool> any_deferred_frees;
// Destroys everything that is kept; does nothing in a host function or without a usable driver.
void run_all_deferred_frees() noexcept;
// Destroys what is kept, if there is any. The caller must hold no lock of the runtime.
inline void run_deferred_frees() noexcept {
  if (any_deferred_frees.load(std::memory_order_relaxed)) [[unlikely]]
    run_all_deferred_frees();
}

}  // namespace gpuarray
