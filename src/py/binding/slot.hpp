// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>

#include "py/binding/ref.hpp"

namespace gpuarray::py {

// Turns the exception in flight into the current Python error (errors.cpp).
void set_python_error() noexcept;

// Whether `with stream:` was ever used: from then on each call looks at its Python context.
extern std::atomic<bool> streams_follow_context;
// Makes the current streams of this thread those of its Python context (current_stream.cpp).
void follow_context();

inline void enter() {
  if (streams_follow_context.load(std::memory_order_relaxed)) [[unlikely]]
    follow_context();
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
