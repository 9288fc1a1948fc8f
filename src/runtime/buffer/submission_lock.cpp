// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/buffer/submission_lock.hpp"

#include <bit>

#include "runtime/driver/blocking.hpp"

namespace gpuarray {
namespace {

constexpr int kSharesBits = 32;
constexpr uint64_t kShares = (uint64_t{1} << kSharesBits) - 1;

uint64_t own_number() { return this_thread_number() << kSharesBits; }

}  // namespace

void SubmissionLock::acquire(Slot& slot) {
  blocking([&] {
    while (!try_acquire(slot)) {
      for (uint32_t seen = changes_.load(); holder_.load() != 0; seen = changes_.load())
        changes_.wait(seen);
      wait_for_slot(slot);
    }
  });
}

void SubmissionLock::wait_for_slot(Slot& slot) {
  ++slot_waiters_;
  slot.is_held.wait(1);
  --slot_waiters_;
}

void SubmissionLock::wait_for_slots() {
  for (uint64_t left = used_.load(); left != 0; left &= left - 1)
    wait_for_slot(slots_[std::countr_zero(left)]);
}

bool SubmissionLock::is_any_held() const {
  for (uint64_t left = used_.load(); left != 0; left &= left - 1)
    if (slots_[std::countr_zero(left)].is_held.load() != 0) return true;
  return false;
}

bool SubmissionLock::try_claim() {
  uint64_t seen = holder_.load();
  while (seen == 0 || (seen & ~kShares) == own_number())
    if (holder_.compare_exchange_weak(seen, (seen == 0 ? own_number() : seen) + 1)) return true;
  return false;
}

void SubmissionLock::acquire_all() {
  const bool is_claimed = try_claim();
  if (is_claimed && !is_any_held()) return;
  blocking([&] {
    if (!is_claimed) claim_unless([] { return false; });
    wait_for_slots();
  });
}

void SubmissionLock::release_share() {
  uint64_t seen = holder_.load(), left = 0;
  do {
    left = (seen & kShares) == 1 ? 0 : seen - 1;
  } while (!holder_.compare_exchange_weak(seen, left));
  if (left == 0) wake_waiters();
}

void SubmissionLock::release_all() {
  holder_ = 0;
  wake_waiters();
}

bool SubmissionLock::is_held_here() const { return (holder_.load() & ~kShares) == own_number(); }

}  // namespace gpuarray
