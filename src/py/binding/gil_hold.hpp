// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <unistd.h>

#include <exception>

#include "py/binding/python.hpp"

namespace gpuarray::py {

[[noreturn]] inline void pause_forever() {
  while (true) pause();
}

// Calls `take_gil`, or what gives up the GIL and takes it again, and never returns if that unwinds
// the thread. At the end of the process Python before 3.14 unwinds a daemon thread that asks for
// the GIL, which no destructor survives. Such a thread pauses here forever, as it does in later
// versions of Python. Throws what `take_gil` throws.
template <class Function>
auto or_pause_forever(Function&& take_gil) {
  try {
    return take_gil();
  } catch (const std::exception&) {
    throw;
  } catch (...) {  // the end of the thread, by pthread_exit
    pause_forever();
  }
}

// Whether this thread is within a GilRelease.
inline constinit thread_local bool gil_released = false;

// Holds the GIL for the scope. Works on any thread, whether or not it holds the GIL already.
class GilHold {
 public:
  GilHold() : state_(or_pause_forever(PyGILState_Ensure)), was_released_(gil_released) {
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

// Returns whether this thread holds the GIL. Code of other libraries may have released it too.
inline bool holds_gil() {
  if (gil_released || PyGILState_GetThisThreadState() == nullptr) return false;
  const PyGILState_STATE before = or_pause_forever(PyGILState_Ensure);
  PyGILState_Release(before);
  return before == PyGILState_LOCKED;
}

// Drops a reference on any thread, with or without the GIL. Once the interpreter has ended, the
// object is gone and nothing happens.
inline void drop_reference(PyObject* object) {
  if (!Py_IsInitialized()) return;
  const GilHold gil;
  Py_DECREF(object);
}

}  // namespace gpuarray::py
