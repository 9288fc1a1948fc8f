// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <thread>

#include "core/thread_safety.hpp"

namespace gpuarray {

// A lock for a few assignments at a time, where a std::mutex would cost several times as much as
// they do. Its holder must not wait for another thread.
class CAPABILITY("spin lock") SpinLock {
 public:
  void lock() ACQUIRE() {
    while (taken_.test_and_set(std::memory_order_acquire)) [[unlikely]]
      std::this_thread::yield();
  }
  bool try_lock() TRY_ACQUIRE(true) { return !taken_.test_and_set(std::memory_order_acquire); }
  void unlock() RELEASE() { taken_.clear(std::memory_order_release); }

 private:
  std::atomic_flag taken_;
};

}  // namespace gpuarray
