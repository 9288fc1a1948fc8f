// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <thread>

#include "core/thread_safety.hpp"

namespace gpuarray {

// A thread that runs one task at a time. It takes no signals, so that Python's handlers run in
// Python's threads.
class Worker {
 public:
  // Throws std::system_error when the system gives no thread.
  Worker();
  // Waits for the task under way, if there is one, and ends the thread.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Starts a task, which must not throw; what it refers to must live until wait() returns. Each
  // start is followed by a wait.
  void start(std::function<void()> task);
  // Blocks until the task is done.
  void wait();

 private:
  void run();

  Mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> task_ GUARDED_BY(mutex_);  // empty when idle
  bool ending_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

// Returns the number of processors that this process may run on, at least 1.
int usable_processors();

}  // namespace gpuarray
