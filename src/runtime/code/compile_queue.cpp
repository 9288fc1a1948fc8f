// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/code/compile_queue.hpp"

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/driver/driver_error.hpp"

namespace gpuarray {
namespace {

// Never destroyed, because its thread may outlive what else is.
struct Queue {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::function<void()>> jobs;
  bool ends = false;
  std::thread thread;
};

void work(Queue& queue) {
  std::unique_lock lock(queue.mutex);
  for (;;) {
    queue.changed.wait(lock, [&] { return queue.ends || !queue.jobs.empty(); });
    if (queue.ends || driver_end.load() != nullptr) return;
    const std::function<void()> job = std::move(queue.jobs.back());
    queue.jobs.pop_back();
    lock.unlock();
    try {
      job();
    } catch (...) {  // whoever asked goes on without
    }
    lock.lock();
  }
}

Queue* queue_of_process = nullptr;

// The compiler must not run while the process's static objects are destroyed.
void end_at_exit() {
  if (driver_end.load() != nullptr) return;  // a forked child has no such thread
  Queue& queue = *queue_of_process;
  {
    const std::lock_guard lock(queue.mutex);
    queue.ends = true;
  }
  queue.changed.notify_all();
  queue.thread.join();
}

Queue& compile_queue() {
  static Queue& queue = *[] {
    queue_of_process = new Queue;
    queue_of_process->thread = std::thread([] { work(*queue_of_process); });
    std::atexit(end_at_exit);
    return queue_of_process;
  }();
  return queue;
}

}  // namespace

void compile_in_background(std::function<void()> job) {
  Queue& queue = compile_queue();
  {
    const std::lock_guard lock(queue.mutex);
    queue.jobs.push_back(std::move(job));
  }
  queue.changed.notify_all();
}

}  // namespace gpuarray
