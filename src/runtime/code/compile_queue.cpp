// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/code/compile_queue.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "runtime/code/compile_progress.hpp"
#include "runtime/driver/driver_error.hpp"
#include "runtime/driver/user_log.hpp"

namespace gpuarray {
namespace {

constexpr size_t kMostJobs = 256;  // pending ones

struct Queue {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::function<void()>> jobs;
  bool is_busy = false;  // while a job runs
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
    queue.is_busy = true;
    lock.unlock();
    try {
      job();
    } catch (const std::exception& error) {  // the caller goes on without the kernel
      log_user(LogLevel::info, std::string("no kernel was compiled: ") + error.what());
    }
    lock.lock();
    queue.is_busy = false;
    if (queue.jobs.empty()) queue.changed.notify_all();
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

bool may_compile_in_background() {
  if (queue.process != 0 && queue.process != getpid()) return false;
  const std::lock_guard lock(queue.mutex);
  return !queue.ends && queue.jobs.size() < kMostJobs;
}

void compile_in_background(std::function<void()> job) {
  require_driver();
  if (queue.process != 0 && queue.process != getpid()) return;
  {
    const std::lock_guard lock(queue.mutex);
    if (queue.ends) return;
    queue.jobs.push_back(std::move(job));
    if (!queue.thread.joinable() && !start(queue)) return;
  }
  queue.changed.notify_all();
}

void finish_compilations() {
  if (queue.process != getpid()) return;
  std::unique_lock lock(queue.mutex);
  queue.changed.wait(lock, [] { return queue.ends || (queue.jobs.empty() && !queue.is_busy); });
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
