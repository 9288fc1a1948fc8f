// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <mutex>

namespace gpuarray {

// Number of forks between the process that loaded the library and this one.
extern std::atomic<unsigned> fork_count;

// A mutex that fork() holds while it copies the process: the child finds the mutex free and what it
// guards whole. A thread that holds one waits for nothing, neither for the GIL nor for the driver,
// and locks no other one. Thread-safe.
class HeldAtFork : public std::mutex {
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

}  // namespace gpuarray
