// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <utility>

#include "py/binding/call_site.hpp"
#include "py/binding/gil_hold.hpp"

namespace gpuarray::py {

// Releases the GIL for the scope. The thread must hold it.
class GilRelease {
 public:
  GilRelease() : state_(PyEval_SaveThread()) { gil_released = true; }
  ~GilRelease() {
    or_pause_forever([&] { PyEval_RestoreThread(state_); });
    gil_released = false;
  }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  SavedCallSite call_site_;  // constructed before the GIL is released
  PyThreadState* state_;
};

// Calls a function that may block for long; releases the GIL meanwhile if this thread holds it.
// Meant for set_blocking_hook() of runtime/driver/blocking.hpp.
inline void block_without_gil(void (*call)(void*), void* what) {
  if (!holds_gil()) return call(what);
  GilRelease released;
  call(what);
}

// Copying this many bytes takes no longer than releasing and retaking the GIL.
inline constexpr long kQuickBytes = 4 << 10;

// Calls the function without the GIL, which this thread must hold.
template <class Function>
decltype(auto) without_gil(Function&& function) {
  GilRelease released;
  return std::forward<Function>(function)();
}

// Calls the function, without the GIL if the condition is true.
template <class Function>
decltype(auto) without_gil_if(bool condition, Function&& function) {
  if (condition) return without_gil(std::forward<Function>(function));
  return std::forward<Function>(function)();
}

}  // namespace gpuarray::py
