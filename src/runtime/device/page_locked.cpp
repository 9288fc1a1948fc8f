// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/device/page_locked.hpp"

#include <vector>

#include "core/error.hpp"
#include "core/fork.hpp"
#include "core/thread_safety.hpp"
#include "runtime/driver/driver.hpp"

namespace gpuarray {

PageLocked::PageLocked(int64_t nbytes) {
  GPUARRAY_CHECK(cuMemHostAlloc(&data_, static_cast<size_t>(nbytes), CU_MEMHOSTALLOC_PORTABLE));
}

PageLocked::~PageLocked() {
  if (data_ != nullptr) quietly([&] { GPUARRAY_CALL(cuMemFreeHost(data_)); });
}

namespace {

struct IdleSlots {
  HeldAtFork mutex;
  std::vector<std::unique_ptr<PageLocked>> memory GUARDED_BY(mutex);
};

// Never destroyed, because the driver frees the memory at the end of the process.
IdleSlots& idle_slots = *new IdleSlots;

}  // namespace

SmallSlot::SmallSlot() {
  IdleSlots& idle = idle_slots;
  {
    const LockGuard lock(idle.mutex);
    if (!idle.memory.empty()) {
      memory_ = std::move(idle.memory.back());
      idle.memory.pop_back();
      return;
    }
  }
  try {
    memory_ = std::make_unique<PageLocked>(kBytes);
  } catch (const OutOfMemory&) {
    // Callers then copy another way.
  }
}

void SmallSlot::release_idle() {
  std::vector<std::unique_ptr<PageLocked>> released;  // freed after the lock is released
  IdleSlots& idle = idle_slots;
  const LockGuard lock(idle.mutex);
  released.swap(idle.memory);
}

SmallSlot::~SmallSlot() {
  if (memory_ == nullptr) return;
  quietly([&] {
    IdleSlots& idle = idle_slots;
    const LockGuard lock(idle.mutex);
    idle.memory.push_back(std::move(memory_));
  });
}

}  // namespace gpuarray
