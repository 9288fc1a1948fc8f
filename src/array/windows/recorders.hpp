// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>

#include "array/windows/recorder.hpp"

namespace gpuarray::ops {

// The recorders of the process. Each belongs to a thread, or to none: then it is idle, or has what
// a thread left that ended. Recorders are added, never removed.
class Recorders {
 public:
  // Returns a recorder for the calling thread.
  Recorder* take();
  // Takes the recorder of a thread that ends.
  void give_back(Recorder& recorder) noexcept;
  // Calls function(recorder) for each.
  template <class Function>
  void for_each(Function&& function) const {
    for (Recorder* each = first_.load(); each != nullptr; each = each->next_) function(*each);
  }
  // Runs the operations of the calling thread, or ends its history, and runs what other threads
  // left.
  static void end_own(EndReason reason);
  // Runs what threads left that have ended. Throws what the operations throw.
  void run_left();
  // Returns a recorder whose pending operations read the memory; null if none does.
  Recorder* reader_of(const Buffer& buffer);
  // Lets `deferred` have the value of the only thread that has a recorder, if there is one.
  void note_one_thread();

  // For fork: take and release the locks of all recorders; and make them those of a process that
  // has this thread alone.
  void lock_all() NO_THREAD_SAFETY_ANALYSIS;    // as many as there are
  void unlock_all() NO_THREAD_SAFETY_ANALYSIS;  // as many as there are
  void forget_threads() NO_THREAD_SAFETY_ANALYSIS;

 private:
  // Sets `deferred` after a change of the number of recorders in use.
  void update_deferred() REQUIRES(recorders_lock_);

  // Guards which recorders belong to a thread. It is taken before the lock of a recorder.
  SpinLock recorders_lock_;
  std::atomic<Recorder*> first_ = nullptr;  // the list
  uint64_t count_ GUARDED_BY(recorders_lock_) = 0;
  std::atomic<int> in_use_ = 0;  // that belong to a thread or have something left
  std::atomic<int> left_ = 0;    // that belong to none of these threads but have something left
};

inline constinit Recorders recorders;

}  // namespace gpuarray::ops
