// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/stream/stream.hpp"

namespace gpuarray {

// Guards the uses of all buffers and the order in which work is queued. A thread holds either the
// slot of a stream, beside threads that hold the slots of others, or the whole lock, alone. Uses
// are changed under the whole lock. Whoever waits gives up the GIL.
class SubmissionLock {
 public:
  // Returns the bit of the stream's slot. Streams that share a handle share it, as others may.
  static uint64_t slot_of(const Stream& stream);

  // Takes the slot if it is free and nobody holds the whole lock or waits for it.
  bool try_acquire(uint64_t slot) {
    if ((slots_.fetch_or(slot) & slot) != 0) return false;
    if (holder_.load() == 0) [[likely]]
      return true;
    release(slot);
    return false;
  }
  // Takes the slot. The thread must hold nothing.
  void acquire(uint64_t slot);
  void release(uint64_t slot) {
    slots_.fetch_and(~slot);
    if (slot_waiters_.load() != 0) [[unlikely]]
      slots_.notify_all();
  }

  // Takes a share of the whole lock, of which one thread has all. The thread must hold no slot.
  void acquire_all();
  // Takes one more, for a thread that has a share.
  void add_share() { try_claim(); }
  // Gives a share back, of whatever thread.
  void release_share();
  // Gives all shares of this thread back at once.
  void release_all();
  // Lets those who wait ask again, as when the lock becomes free.
  void wake_waiters() {
    ++changes_;
    changes_.notify_all();
  }
  bool is_held_here() const;
  // Takes a share unless done() succeeds before, which is asked whenever the lock becomes free. The
  // thread must have given up the GIL.
  template <class Done>
  void acquire_all_unless(const Done& done) {
    if (claim_unless(done)) wait_for_slots(kAllSlots);
  }

 private:
  static constexpr uint64_t kAllSlots = ~uint64_t{0};

  // Takes a share if no other thread has one. From then on slots are refused.
  bool try_claim();
  // Waits for a share, unless done() succeeds before. Returns whether it took one.
  template <class Done>
  bool claim_unless(const Done& done) {
    for (uint32_t seen = changes_.load(); !done(); seen = changes_.load()) {
      if (try_claim()) return true;
      changes_.wait(seen);
    }
    return false;
  }
  // Waits until none of the slots is held.
  void wait_for_slots(uint64_t slots);

  std::atomic<uint64_t> slots_ = 0;    // bits of those that are held
  std::atomic<uint64_t> holder_ = 0;   // of the whole lock: the thread's number and its shares
  std::atomic<uint32_t> changes_ = 0;  // counts how often the whole lock became free
  std::atomic<int> slot_waiters_ = 0;  // threads in wait_for_slots()
};

inline constinit SubmissionLock submission_lock;

}  // namespace gpuarray
