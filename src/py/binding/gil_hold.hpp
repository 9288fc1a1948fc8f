// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <unistd.h>

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

// Drops a reference, on any thread; at the end of the process the interpreter takes the object.
inline void drop_reference(PyObject* object) {
  if (!Py_IsInitialized()) return;
  const GilHold gil;
  Py_DECREF(object);
}

}  // namespace gpuarray::py
