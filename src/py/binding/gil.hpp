// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <unistd.h>

#include <utility>

#include "py/binding/launch_place.hpp"
#include "py/binding/python.hpp"

namespace gpuarray::py {

// At the end of the process Python before 3.14 unwinds a daemon thread that asks for the GIL, which
// no destructor survives; such a thread stops here instead, as later ones do.
template <class Function>
auto or_stop(Function&& take_gil) noexcept {
  try {
    return take_gil();
  } catch (...) {
    while (true) pause();
  }
}

// Whether this thread has given up the GIL in a scope of ours.
inline constinit thread_local bool gil_released = false;

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

// Holds the GIL for the scope, on any thread.
class GilHold {
 public:
  GilHold() : state_(or_stop(PyGILState_Ensure)), was_released_(gil_released) {
    gil_released = false;
  }
  ~GilHold() {
    gil_released = was_released_;
    PyGILState_Release(state_);
  }
  GilHold(const GilHold&) = delete;
  GilHold& operator=(const GilHold&) = delete;

 private:
  PyGILState_STATE state_;
  bool was_released_;
};

// Whether this thread holds the GIL, which others than us may have given up too.
inline bool holds_gil() {
  if (gil_released || PyGILState_GetThisThreadState() == nullptr) return false;
  const PyGILState_STATE before = or_stop(PyGILState_Ensure);
  PyGILState_Release(before);
  return before == PyGILState_LOCKED;
}

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
