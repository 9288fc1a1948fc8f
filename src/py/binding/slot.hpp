// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>

#include "py/binding/ref.hpp"

namespace gpuarray::py {

// Turns the exception in flight into the current Python error (errors.cpp).
void set_python_error() noexcept;

// What each call from Python does first, null for nothing: current_stream.cpp sets it when
// `with stream:` is used first, after which the Python context says which streams are current.
inline constinit std::atomic<void (*)()> on_enter = nullptr;

inline void enter() {
  if (void (*hook)() = on_enter.load(std::memory_order_relaxed)) [[unlikely]]
    hook();
}

// The one boundary between C++ exceptions and Python: wraps a function into a C slot. A function
// returns Ref for an object slot, void for a slot whose 0 is success, or the slot's own integer (-1
// on error).
template <auto Function>
struct Slot;

template <class... Args, Ref (*Function)(Args...)>
struct Slot<Function> {
  static PyObject* call(Args... args) noexcept {
    try {
      enter();
      return Function(args...).release();
    } catch (...) {
      set_python_error();
      return nullptr;
    }
  }
};

template <class... Args, void (*Function)(Args...)>
struct Slot<Function> {
  static int call(Args... args) noexcept {
    try {
      enter();
      Function(args...);
      return 0;
    } catch (...) {
      set_python_error();
      return -1;
    }
  }
};

template <class... Args, int (*Function)(Args...)>
struct Slot<Function> {
  static int call(Args... args) noexcept {
    try {
      enter();
      return Function(args...);
    } catch (...) {
      set_python_error();
      return -1;
    }
  }
};

template <class... Args, Py_ssize_t (*Function)(Args...)>
struct Slot<Function> {
  static Py_ssize_t call(Args... args) noexcept {
    try {
      enter();
      return Function(args...);
    } catch (...) {
      set_python_error();
      return -1;
    }
  }
};

// For PyType_Slot tables, which hold void*.
template <auto Function>
inline void* slot = reinterpret_cast<void*>(&Slot<Function>::call);

// For PyMethodDef tables: METH_FASTCALL | METH_KEYWORDS functions and all the others.
template <auto Function>
inline PyCFunction method =
    reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&Slot<Function>::call));

}  // namespace gpuarray::py
