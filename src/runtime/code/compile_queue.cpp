// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/code/compile_queue.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "runtime/code/compile_progress.hpp"
#include "runtime/driver/driver_error.hpp"

namespace gpuarray {
namespace {

struct Queue {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::function<void()>> jobs;
  bool ends = false;
  std::thread thread;              // from the first job on
  std::atomic<pid_t> process = 0;  // that has the thread: a forked child has none
};

void work(Queue& queue) {
  pthread_setname_np(pthread_self(), "gpuarray-nvrtc");
  CompileProgress::turn_off_here();
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

// Starts the thread; returns false if the system gives none, so that the jobs wait for a later one.
bool start(Queue& queue) try {
  queue.thread = std::thread([&queue] { work(queue); });
  queue.process = getpid();
  return true;
} catch (const std::system_error&) {
  return false;
}

Queue& queue = *new Queue;  // never destroyed: its thread may outlive what else is

}  // namespace

void compile_in_background(std::function<void()> job) {
  require_driver();
  {
    const std::lock_guard lock(queue.mutex);
    if (queue.ends) return;
    queue.jobs.push_back(std::move(job));
    if (!queue.thread.joinable() && !start(queue)) return;
  }
  queue.changed.notify_all();
}

void end_compilations() {
  if (queue.process != 0 && queue.process != getpid()) return;
  {
    const std::lock_guard lock(queue.mutex);
    queue.ends = true;
  }
  queue.changed.notify_all();
  if (queue.thread.joinable()) queue.thread.join();
}

}  // namespace gpuarray
