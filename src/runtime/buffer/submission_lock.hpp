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
  // On a cache line of its own, so that threads on different streams do not pass it to and fro.
  struct alignas(64) Slot {
    std::atomic<uint32_t> is_held = 0;
  };

  // Returns the stream's slot. Streams that share a handle share it, as others may.
  Slot& slot_of(const Stream& stream) { return slots_[stream.part()]; }

  // Takes the slot if it is free and nobody holds the whole lock or waits for it.
  bool try_acquire(Slot& slot) {
    if ((used_.load() & bit_of(slot)) == 0) [[unlikely]]
      used_ |= bit_of(slot);
    if (slot.is_held.exchange(1) != 0) return false;
    if (holder_.load() == 0) [[likely]]
      return true;
    release(slot);
    return false;
  }
  // Takes the slot. The thread must hold nothing.
  void acquire(Slot& slot);
  void release(Slot& slot) {
    slot.is_held = 0;
    if (slot_waiters_.load() != 0) [[unlikely]]
      slot.is_held.notify_all();
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
    if (claim_unless(done)) wait_for_slots();
  }

 private:
  uint64_t bit_of(const Slot& slot) const { return uint64_t{1} << (&slot - slots_); }
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
  // Waits until the slot is not held, or none of those that ever were.
  void wait_for_slot(Slot& slot);
  void wait_for_slots();
  // Whether a slot is held.
  bool is_any_held() const;

  Slot slots_[Stream::kParts];
  // These change seldom.
  alignas(64) std::atomic<uint64_t> used_ = 0;  // bits of the slots that were ever taken
  std::atomic<uint64_t> holder_ = 0;   // of the whole lock: the thread's number and its shares
  std::atomic<uint32_t> changes_ = 0;  // counts how often the whole lock became free
  std::atomic<int> slot_waiters_ = 0;  // threads in wait_for_slot()
};

inline constinit SubmissionLock submission_lock;

}  // namespace gpuarray
