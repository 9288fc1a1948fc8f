// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace gpuarray {

// A thread that runs one task at a time and takes no signals, which are Python's.
class Worker {
 public:
  // Throws std::system_error when the system gives no thread.
  Worker();
  // Ends after the task in hand.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // `task` must not throw and lives until wait() returns; each start is followed by a wait.
  void start(std::function<void()> task);
  void wait();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> task_;  // empty when idle
  bool ending_ = false;
  std::thread thread_;
};

// The processors that this process may run on, at least 1.
int usable_processors();

}  // namespace gpuarray
