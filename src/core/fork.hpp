// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <pthread.h>

#include <atomic>

#include "core/thread_safety.hpp"

namespace gpuarray {

// Number of forks between the process that loaded the library and this one.
extern std::atomic<unsigned> fork_count;

// A mutex that fork() holds while it copies the process: the child finds the mutex free and what it
// guards whole. A thread that holds one waits for nothing, neither for the GIL nor for the driver,
// and locks no other one. Thread-safe.
class HeldAtFork : public Mutex {
 public:
  // Without `held`, fork() holds the mutex only after hold() was called.
  explicit HeldAtFork(bool held = true);
  ~HeldAtFork();
  void hold();
  bool is_held() const { return is_held_; }

 private:
  friend struct HeldMutexes;

  bool is_held_ = false;
  HeldAtFork* before_ = nullptr;
  HeldAtFork* after_ = nullptr;
};

// Makes fork() hold a lock of namespace scope. Its holders wait for nothing, as above.
template <auto& lock>
int hold_at_fork() {
  struct Handlers {  // Each of them does a half, which clang's check does not know.
    static void take() NO_THREAD_SAFETY_ANALYSIS { lock.lock(); }
    static void give_back() NO_THREAD_SAFETY_ANALYSIS { lock.unlock(); }
  };
  return pthread_atfork(Handlers::take, Handlers::give_back, Handlers::give_back);
}

}  // namespace gpuarray
