// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/transfer/worker.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>

#include "core/thread_safety.hpp"

namespace gpuarray {
namespace {

// Blocks the signals that the process gets in this thread, and in threads that it starts, for the
// scope; not those of a thread's own faults, whose handlers would not be called.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

Worker::Worker() {
  SignalsBlocked blocked;
  thread_ = std::thread([this] { run(); });
}

Worker::~Worker() {
  {
    const LockGuard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Worker::start(std::function<void()> task) {
  {
    const LockGuard lock(mutex_);
    task_ = std::move(task);
  }
  changed_.notify_all();
}

void Worker::wait() {
  UniqueLock lock(mutex_);
  while (task_ != nullptr) lock.wait(changed_);
}

void Worker::run() {
  UniqueLock lock(mutex_);
  while (true) {
    while (!ending_ && task_ == nullptr) lock.wait(changed_);
    if (task_ == nullptr) return;
    const std::function<void()>* const task = &task_;  // nobody changes it until it is done
    lock.unlock();
    (*task)();
    lock.lock();
    task_ = nullptr;
    changed_.notify_all();
  }
}

int usable_processors() {
  cpu_set_t set;
  // The call fails on machines with more than the set's 1024 processors.
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(CPU_COUNT(&set), 1);
  return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
}

}  // namespace gpuarray
