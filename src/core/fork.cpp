// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/fork.hpp"

#include <pthread.h>

namespace gpuarray {

std::atomic<unsigned> fork_count = 0;

// The mutexes that fork() holds.
struct HeldMutexes {
  Mutex mutex;
  HeldAtFork* first GUARDED_BY(mutex) = nullptr;

  void add(HeldAtFork& added) {
    const LockGuard lock(mutex);
    added.is_held_ = true;
    added.after_ = first;
    if (first != nullptr) first->before_ = &added;
    first = &added;
  }
  void remove(HeldAtFork& removed) {
    const LockGuard lock(mutex);
    if (removed.after_ != nullptr) removed.after_->before_ = removed.before_;
    if (removed.before_ != nullptr)
      removed.before_->after_ = removed.after_;
    else
      first = removed.after_;
  }
  // These do a half each, which clang's check does not know.
  void lock_all() NO_THREAD_SAFETY_ANALYSIS {
    mutex.lock();
    for (HeldAtFork* held = first; held != nullptr; held = held->after_) held->lock();
  }
  void unlock_all() NO_THREAD_SAFETY_ANALYSIS {
    for (HeldAtFork* held = first; held != nullptr; held = held->after_) held->unlock();
    mutex.unlock();
  }
};

namespace {

constinit HeldMutexes held_mutexes;

[[maybe_unused]] const int at_fork =
    pthread_atfork([] { held_mutexes.lock_all(); }, [] { held_mutexes.unlock_all(); },
                   [] {
                     ++fork_count;
                     held_mutexes.unlock_all();
                   });

}  // namespace

HeldAtFork::HeldAtFork(bool held) {
  if (held) hold();
}

HeldAtFork::~HeldAtFork() {
  if (is_held_) held_mutexes.remove(*this);
}

void HeldAtFork::hold() { held_mutexes.add(*this); }

}  // namespace gpuarray
