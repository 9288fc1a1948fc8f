// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/windows/recorders.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/driver/driver.hpp"

namespace gpuarray::ops {
namespace {

// The numbers of operations that a recorder has.
constexpr int kNumberBits = 40;

// Gives the thread's recorder back when the thread ends.
struct Owner {
  ~Owner() {
    of_thread.has_ended = true;
    if (Recorder* const recorder = std::exchange(of_thread.recorder, nullptr))
      recorders.give_back(*recorder);
  }
};

}  // namespace

Recorder* Recorder::make_here() {
  if (of_thread.has_ended || in_host_function) return nullptr;
  static thread_local Owner owner;
  static_cast<void>(&owner);  // is made
  return of_thread.recorder = recorders.take();
}

void Recorders::end_own(EndReason reason) {
  if (Recorder* const own = of_thread.recorder) own->run_or_end_history(reason);
  if (deferred.load(std::memory_order_relaxed) < Deferred::work || InWindow::here()) return;
  if (in_host_function) return;  // which calls no driver
  recorders.run_left();
  recorders.note_one_thread();
}

Recorder* Recorders::take() {
  {
    const LockGuard lock(recorders_lock_);
    for (Recorder* each = first_; each != nullptr; each = each->next_) {
      if (each->is_owned_) continue;
      each->is_owned_ = true;
      // What a thread left is this one's from now on.
      each->has_left_ ? --left_ : ++in_use_;
      each->has_left_ = false;
      update_deferred();
      return each;
    }
  }
  auto made = std::make_unique<Recorder>();
  const LockGuard lock(recorders_lock_);
  {
    const LockGuard own(made->lock_);
    made->number_from(++count_ << kNumberBits);
  }
  made->next_ = first_;
  first_ = made.get();
  ++in_use_;
  update_deferred();
  return made.release();
}

void Recorders::update_deferred() {
  if (in_use_ > 1) {
    if (deferred.exchange(Deferred::by_thread) == Deferred::by_thread) return;
    // Who adds an operation now may not know it yet.
    for_each([](Recorder& each) { const LockGuard lock(each.lock_); });
  } else if (deferred == Deferred::by_thread) {
    for (Recorder* each = first_; each != nullptr; each = each->next_) {
      if (!each->is_owned_ && !each->has_left_) continue;
      const LockGuard lock(each->lock_);  // its state only becomes `nothing` meanwhile
      deferred = each->state_.load();
      return;
    }
    deferred = Deferred::nothing;
  }
}

void Recorders::give_back(Recorder& recorder) noexcept {
  StreamPtr released;
  const LockGuard lock(recorders_lock_);
  recorder.is_owned_ = false;
  const LockGuard own(recorder.lock_);
  recorder.has_left_ = recorder.leave(released);
  recorder.has_left_ ? ++left_ : --in_use_;
}

void Recorders::run_left() {
  if (left_.load(std::memory_order_relaxed) == 0) return;
  for_each([&](Recorder& each) {
    {
      const LockGuard lock(recorders_lock_);
      if (!each.has_left_) return;
    }
    each.run_all(EndReason::thread);
    const LockGuard lock(recorders_lock_);
    if (!each.has_left_ || each.is_work_pending()) return;
    each.has_left_ = false;
    --left_;
    --in_use_;
  });
}

void Recorders::note_one_thread() {
  if (deferred.load(std::memory_order_relaxed) != Deferred::by_thread || in_use_ > 1) return;
  const LockGuard lock(recorders_lock_);
  update_deferred();
}

Recorder* Recorders::reader_of(const Buffer& buffer) {
  Recorder* const own = Recorder::here();
  if (own != nullptr && own->reads(buffer)) return own;
  Recorder* found = nullptr;
  for_each([&](Recorder& each) {
    if (found == nullptr && each.is_work_pending() && each.reads(buffer)) found = &each;
  });
  return found;
}

void Recorders::lock_all() {
  recorders_lock_.lock();
  for_each([](Recorder& each) NO_THREAD_SAFETY_ANALYSIS { each.lock_.lock(); });
}

void Recorders::unlock_all() {
  for_each([](Recorder& each) NO_THREAD_SAFETY_ANALYSIS { each.lock_.unlock(); });
  recorders_lock_.unlock();
}

void Recorders::forget_threads() {
  Recorder* const own = Recorder::here();
  std::vector<StreamPtr> released;
  in_use_ = left_ = 0;
  for_each([&](Recorder& each) NO_THREAD_SAFETY_ANALYSIS {
    each.forget_threads();
    each.is_owned_ = &each == own;
    each.has_left_ = !each.is_owned_ && each.leave(released.emplace_back());
    in_use_ += each.is_owned_ || each.has_left_;
    left_ += each.has_left_;
  });
  Deferred value = Deferred::nothing;
  for_each([&](Recorder& each) {
    if (each.is_owned_ || each.has_left_) value = each.state_;
  });
  deferred = in_use_ > 1 ? Deferred::by_thread : value;
  unlock_all();
}

}  // namespace gpuarray::ops
