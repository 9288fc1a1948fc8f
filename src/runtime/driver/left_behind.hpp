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

// Keeps what it shares until end_left_behind(). Thread-safe.
void leave_behind(std::shared_ptr<const void> shared) noexcept;
// Gives up a share of what calls the driver when it ends.
template <class T>
void let_go(std::shared_ptr<T> shared) noexcept {
  if (in_host_function && shared != nullptr) leave_behind(std::move(shared));
}

extern std::atomic<bool> any_left_behind;
void end_all_left_behind() noexcept;
// For calls that hold no lock of the runtime; in a host function nothing ends.
inline void end_left_behind() noexcept {
  if (any_left_behind.load(std::memory_order_relaxed)) [[unlikely]]
    end_all_left_behind();
}

}  // namespace gpuarray
