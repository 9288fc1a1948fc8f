// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <unistd.h>

#include <utility>

#include "py/launch_place.hpp"
#include "py/python.hpp"

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

// Releases the GIL for the scope.
class GilRelease {
 public:
  GilRelease() : state_(PyEval_SaveThread()) {}
  ~GilRelease() {
    or_stop([&] { PyEval_RestoreThread(state_); });
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
  GilHold() : state_(or_stop(PyGILState_Ensure)) {}
  ~GilHold() { PyGILState_Release(state_); }
  GilHold(const GilHold&) = delete;
  GilHold& operator=(const GilHold&) = delete;

 private:
  PyGILState_STATE state_;
};

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
