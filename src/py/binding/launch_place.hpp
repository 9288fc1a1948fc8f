// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>

#include "runtime/stream/launch_log.hpp"
#include "runtime/stream/launch_mode.hpp"

namespace gpuarray::py {

// Where this thread stood when it gave the GIL away; null while it holds it.
extern thread_local const LaunchPlace* place_without_gil;

// The innermost Python line outside gpuarray. The GIL must be held.
void find_place(LaunchPlace& place) noexcept;

// For the time without the GIL, made while it is held: keeps the thread's place if launches note
// lines, else that it is unknown.
class KeptPlace {
 public:
  KeptPlace() : outer_(place_without_gil) {
    static constexpr LaunchPlace kUnknown;
    place_without_gil = &kUnknown;
    if (launch_mode_bits.load(std::memory_order_relaxed) != 0) [[unlikely]]
      keep();
  }
  ~KeptPlace() { place_without_gil = outer_; }
  KeptPlace(const KeptPlace&) = delete;
  KeptPlace& operator=(const KeptPlace&) = delete;

 private:
  void keep() noexcept;

  const LaunchPlace* outer_;
  std::optional<LaunchPlace> place_;
};

}  // namespace gpuarray::py
