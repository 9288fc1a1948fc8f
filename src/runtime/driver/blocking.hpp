// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

namespace gpuarray {

// Called with work that may block for long, or until another thread has made progress. The hook
// runs call(what), and may give up meanwhile what other threads need, such as Python's GIL.
using BlockingHook = void (*)(void (*call)(void*), void* what);
// Sets the hook for the process. Without one, run_blocking() just makes the call.
void set_blocking_hook(BlockingHook hook);
// Runs call(what) through the hook. Throws what the call throws.
void run_blocking(void (*call)(void*), void* what);

// Runs function() through the hook, for any callable.
template <class Function>
void blocking(Function&& function) {
  run_blocking([](void* what) { (*static_cast<std::remove_reference_t<Function>*>(what))(); },
               const_cast<void*>(static_cast<const void*>(std::addressof(function))));
}

// Holds a mutex for the scope and waits for it through blocking(). It is for mutexes under which
// the driver is called or a thread may block for long, so that their waiters do not keep the GIL.
class BlockingLock {
 public:
  explicit BlockingLock(std::mutex& mutex) : lock_(mutex, std::defer_lock) { lock(); }
  void lock() {
    if (!lock_.try_lock()) blocking([&] { lock_.lock(); });
  }
  void unlock() { lock_.unlock(); }

 private:
  std::unique_lock<std::mutex> lock_;
};

// A value that is made at the first use, once a process, and never destroyed. A thread that waits
// for another one to make it gives up the GIL, which a function's static would not do. Thread-safe.
template <class Value>
class MadeOnce {
 public:
  template <class Make>
  const Value& get(Make&& make) {
    const Value* made = value_.load(std::memory_order_acquire);
    if (made == nullptr) [[unlikely]]
      made = this->make(make);
    return *made;
  }

 private:
  template <class Make>
  const Value* make(Make& make) {
    const BlockingLock lock(mutex_);
    const Value* made = value_.load(std::memory_order_relaxed);
    if (made != nullptr) return made;
    blocking([&] { made = new Value(make()); });
    value_.store(made, std::memory_order_release);
    return made;
  }

  std::atomic<const Value*> value_ = nullptr;
  std::mutex mutex_;
};

}  // namespace gpuarray
