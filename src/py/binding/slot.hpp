// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <array>
#include <atomic>
#include <span>

#include "py/binding/ref.hpp"
#include "runtime/buffer/deferred.hpp"

namespace gpuarray::py {

// Sets the Python error for the C++ exception being handled. Call it in a catch block, with the GIL
// (errors.cpp). Never returns if it is the end of the thread that is being handled (gil_hold.hpp).
void set_python_error() noexcept;

// Called first by every call from Python, if it is not null. current_stream.cpp sets it when `with
// stream:` is first used; from then on the Python context says which streams are current.
inline constinit std::atomic<void (*)()> on_enter = nullptr;

// Each call passes its result and its arguments to this function, unless it is null. Arguments that
// are no Python objects are null. array_class.cpp sets it when it makes the first class that is
// derived from GPUArray.
using Arguments = std::span<PyObject* const>;
inline constinit std::atomic<void (*)(PyObject* result, Arguments, Arguments)> on_result = nullptr;

// What a call does to operations that were deferred (runtime/buffer/deferred.hpp): it runs those of
// its thread, or of all threads, or it may join them, or sees nothing of what they do.
enum class Entry { runs_deferred, runs_all, joins };

// Runs what all threads deferred.
inline void run_all_deferred_first() {
  if (deferred.load(std::memory_order_relaxed) != Deferred::nothing) [[unlikely]]
    run_all_deferred();
}

// Prepares a call from Python. Functions that Python calls other than through Slot<> call it first.
template <Entry entry = Entry::runs_deferred>
void enter() {
  if constexpr (entry == Entry::runs_deferred) run_deferred_first();
  if constexpr (entry == Entry::runs_all) run_all_deferred_first();
  if (void (*hook)() = on_enter.load(std::memory_order_relaxed)) [[unlikely]]
    hook();
}

inline PyObject* as_object(PyObject* argument) { return argument; }
inline PyObject* as_object(const auto&) { return nullptr; }

// Calls on_result for a call with these arguments of a C function.
template <class... Args>
void see_result(PyObject* result, Args... args) {
  const std::array<PyObject*, sizeof...(Args)> objects{as_object(args)...};
  on_result.load(std::memory_order_relaxed)(result, objects, {});
}

// The same for the signatures of METH_FASTCALL, without and with METH_KEYWORDS.
inline void see_result(PyObject* result, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                       PyObject* kwnames = nullptr) {
  const Py_ssize_t named = kwnames == nullptr ? 0 : PyTuple_Size(kwnames);
  on_result.load(std::memory_order_relaxed)(result, {&self, 1},
                                            {args, static_cast<size_t>(nargs + named)});
}

// Wraps a function into a C slot; this is the boundary between C++ exceptions and Python. The
// function returns Ref for a slot that returns an object, void for one whose 0 means success, or
// the integer of the slot itself. If it throws, the Python error is set and the slot returns null
// or -1.
template <auto Function, Entry entry = Entry::runs_deferred>
struct Slot;

template <class... Args, Ref (*Function)(Args...), Entry entry>
struct Slot<Function, entry> {
  static PyObject* call(Args... args) noexcept {
    try {
      enter<entry>();
      Ref result = Function(args...);
      if (on_result.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
        see_result(result.get(), args...);
      return result.release();
    } catch (...) {
      set_python_error();
      return nullptr;
    }
  }
};

template <class... Args, void (*Function)(Args...), Entry entry>
struct Slot<Function, entry> {
  static int call(Args... args) noexcept {
    try {
      enter<entry>();
      Function(args...);
      return 0;
    } catch (...) {
      set_python_error();
      return -1;
    }
  }
};

template <class... Args, int (*Function)(Args...), Entry entry>
struct Slot<Function, entry> {
  static int call(Args... args) noexcept {
    try {
      enter<entry>();
      return Function(args...);
    } catch (...) {
      set_python_error();
      return -1;
    }
  }
};

template <class... Args, Py_ssize_t (*Function)(Args...), Entry entry>
struct Slot<Function, entry> {
  static Py_ssize_t call(Args... args) noexcept {
    try {
      enter<entry>();
      return Function(args...);
    } catch (...) {
      set_python_error();
      return -1;
    }
  }
};

// The slot as the void* of a PyType_Slot table.
template <auto Function, Entry entry = Entry::runs_deferred>
inline void* slot = reinterpret_cast<void*>(&Slot<Function, entry>::call);

// The slot as the PyCFunction of a PyMethodDef table, for any calling convention of METH_....
template <auto Function, Entry entry = Entry::runs_deferred>
inline PyCFunction method =
    reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&Slot<Function, entry>::call));

}  // namespace gpuarray::py
