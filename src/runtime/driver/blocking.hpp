// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "core/fork.hpp"
#include "core/thread_safety.hpp"

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

void require_driver_of_process();  // driver_error.cpp

// Holds a mutex for the scope and waits for it through blocking(). It is for mutexes under which
// the driver is called or a thread may block for long, so that their waiters do not keep the GIL.
// In a child of fork whose driver is gone it does not wait, because the owner may be a thread of
// the parent: it throws DeviceError. A mutex that fork() holds is locked without the hook, which
// would wait for the GIL while it holds the mutex.
class SCOPED_CAPABILITY BlockingLock {
 public:
  explicit BlockingLock(Mutex& mutex) ACQUIRE(mutex) : lock_(mutex, std::defer_lock) { lock(); }
  explicit BlockingLock(HeldAtFork& mutex) ACQUIRE(mutex)
      : lock_(mutex, std::defer_lock), blocks_(!mutex.is_held()) {
    lock();
  }
  ~BlockingLock() RELEASE() {}
  void lock() ACQUIRE() {
    if (lock_.try_lock()) return;
    if (!blocks_) return lock_.lock();
    require_driver_of_process();
    blocking([&] { lock_.lock(); });
  }
  void unlock() RELEASE() { lock_.unlock(); }

 private:
  std::unique_lock<std::mutex> lock_;
  const bool blocks_ = true;
};

// A value that is made at the first use, once a process, and never destroyed. A thread that waits
// for another one to make it gives up the GIL, which a function's static would not do. A child of
// fork makes the value again if another thread of the parent was making it. Thread-safe.
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
    std::unique_lock lock(maker().mutex, std::try_to_lock);
    if (!lock) blocking([&] { lock.lock(); });
    const Value* made = value_.load(std::memory_order_relaxed);
    if (made != nullptr) return made;
    blocking([&] { made = new Value(make()); });
    value_.store(made, std::memory_order_release);
    return made;
  }

  // What the threads of one process share that make the value. Never destroyed, because a thread
  // that a child of fork does not have may own the mutex.
  struct Maker {
    explicit Maker(unsigned forks) : forks(forks) {}
    const unsigned forks;  // fork_count of the process
    std::mutex mutex;
  };

  Maker& maker() {
    const unsigned forks = fork_count;
    Maker* known = maker_.load();
    while (known == nullptr || known->forks != forks) {
      auto made = std::make_unique<Maker>(forks);
      if (maker_.compare_exchange_strong(known, made.get())) return *made.release();
    }
    return *known;
  }

  std::atomic<const Value*> value_ = nullptr;
  std::atomic<Maker*> maker_ = nullptr;
};

}  // namespace gpuarray
