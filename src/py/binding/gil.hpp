// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <utility>

#include "py/binding/gil_hold.hpp"
#include "py/binding/launch_place.hpp"

namespace gpuarray::py {

// Releases the GIL for the scope.
class GilRelease {
 public:
  GilRelease() : state_(PyEval_SaveThread()) { gil_released = true; }
  ~GilRelease() {
    or_stop([&] { PyEval_RestoreThread(state_); });
    gil_released = false;
  }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  KeptPlace place_;  // before the GIL goes
  PyThreadState* state_;
};

// Runs what may block for long without the GIL, if this thread holds it: the hook of
// runtime/driver/blocking.hpp.
inline void block_without_gil(void (*call)(void*), void* what) {
  if (!holds_gil()) return call(what);
  GilRelease released;
  call(what);
}

// Copying this much takes no longer than giving the GIL away and back.
inline constexpr long kQuickBytes = 4 << 10;

template <class Function>
decltype(auto) without_gil(Function&& function) {
  GilRelease released;
  return std::forward<Function>(function)();
}

template <class Function>
decltype(auto) without_gil_if(bool condition, Function&& function) {
  if (condition) return without_gil(std::forward<Function>(function));
  return std::forward<Function>(function)();
}

}  // namespace gpuarray::py
