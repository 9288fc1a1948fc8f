// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/buffer/submission_lock.hpp"

#include "runtime/driver/blocking.hpp"

namespace gpuarray {
namespace {

constexpr int kSharesBits = 32;
constexpr uint64_t kShares = (uint64_t{1} << kSharesBits) - 1;

uint64_t own_number() { return this_thread_number() << kSharesBits; }

}  // namespace

uint64_t SubmissionLock::slot_of(const Stream& stream) {
  const uint64_t value = stream.handle() + static_cast<uint64_t>(stream.device().index);
  return uint64_t{1} << (value * 0x9e3779b97f4a7c15u >> 58);
}

void SubmissionLock::acquire(uint64_t slot) {
  blocking([&] {
    while (!try_acquire(slot)) {
      for (uint32_t seen = changes_.load(); holder_.load() != 0; seen = changes_.load())
        changes_.wait(seen);
      wait_for_slots(slot);
    }
  });
}

void SubmissionLock::wait_for_slots(uint64_t slots) {
  ++slot_waiters_;
  for (uint64_t seen = slots_.load(); (seen & slots) != 0; seen = slots_.load()) slots_.wait(seen);
  --slot_waiters_;
}

bool SubmissionLock::try_claim() {
  uint64_t seen = holder_.load();
  while (seen == 0 || (seen & ~kShares) == own_number())
    if (holder_.compare_exchange_weak(seen, (seen == 0 ? own_number() : seen) + 1)) return true;
  return false;
}

void SubmissionLock::acquire_all() {
  const bool is_claimed = try_claim();
  if (is_claimed && slots_.load() == 0) return;
  blocking([&] {
    if (!is_claimed) claim_unless([] { return false; });
    wait_for_slots(kAllSlots);
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
