// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver/deferred_frees.hpp"

#include <vector>

#include "core/fork.hpp"
#include "core/thread_safety.hpp"
#include "runtime/driver/driver_error.hpp"

namespace gpuarray {
namespace {

// Never destroyed, because objects may be released until the process ends.
struct DeferredFrees {
  HeldAtFork mutex;
  std::vector<std::shared_ptr<const void>> shares GUARDED_BY(mutex);
};

DeferredFrees& deferred_frees = *new DeferredFrees;

}  // namespace

std::atomic<bool> any_deferred_frees = false;

void defer_free(std::shared_ptr<const void> shared) noexcept {
  quietly([&] {
    const LockGuard lock(deferred_frees.mutex);
    deferred_frees.shares.push_back(std::move(shared));
    any_deferred_frees = true;
  });
}

void run_all_deferred_frees() noexcept {
  if (in_host_function || driver_end.load() != nullptr) return;
  std::vector<std::shared_ptr<const void>> ended;  // destroyed after the lock is released
  const LockGuard lock(deferred_frees.mutex);
  any_deferred_frees = false;
  ended.swap(deferred_frees.shares);
}

}  // namespace gpuarray
