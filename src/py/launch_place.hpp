// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>

#include "runtime/launch_log.hpp"
#include "runtime/launch_mode.hpp"

namespace gpuarray::py {

// The place noted when this thread gave the GIL away; null while it holds it.
extern thread_local const Place* place_without_gil;

// The innermost Python line outside gpuarray. The GIL must be held.
void find_place(Place& place) noexcept;

// Keeps the place of a thread that gives the GIL away, if launches note lines; made with the GIL
// held.
class KeptPlace {
 public:
  KeptPlace() {
    if (launch_mode_bits.load(std::memory_order_relaxed) != 0) [[unlikely]]
      keep();
  }
  ~KeptPlace() {
    if (place_) place_without_gil = nullptr;
  }
  KeptPlace(const KeptPlace&) = delete;
  KeptPlace& operator=(const KeptPlace&) = delete;

 private:
  void keep() noexcept;

  std::optional<Place> place_;
};

}  // namespace gpuarray::py
