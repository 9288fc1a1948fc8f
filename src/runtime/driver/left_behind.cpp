// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver/left_behind.hpp"

#include <mutex>
#include <vector>

#include "runtime/driver/driver_error.hpp"

namespace gpuarray {
namespace {

// Never destroyed.
struct Left {
  std::mutex mutex;
  std::vector<std::shared_ptr<const void>> shares;
};

Left& left() {
  static Left& made = *new Left;
  return made;
}

}  // namespace

std::atomic<bool> any_left_behind = false;

void leave_behind(std::shared_ptr<const void> shared) noexcept {
  quietly([&] {
    std::lock_guard lock(left().mutex);
    left().shares.push_back(std::move(shared));
    any_left_behind = true;
  });
}

void end_all_left_behind() noexcept {
  if (in_host_function || driver_end.load() != nullptr) return;
  std::vector<std::shared_ptr<const void>> ended;  // after the lock is released
  std::lock_guard lock(left().mutex);
  any_left_behind = false;
  ended.swap(left().shares);
}

}  // namespace gpuarray
