// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/gil_hold.hpp"
#include "py/binding/ref.hpp"

namespace gpuarray::py {

// Calls a function of Python's C API that runs Python code, which may give up the GIL, and returns
// its result, null with Python's error set. Pauses a daemon thread forever if the interpreter ends.
template <class Function, class... Args>
Ref try_python(Function* function, Args... args) {
  return Ref::steal(or_pause_forever([&] { return function(args...); }));
}

// Does the same, and throws PythonError for an error.
template <class Function, class... Args>
Ref call_python(Function* function, Args... args) {
  Ref made = try_python(function, args...);
  if (!made) throw PythonError();
  return made;
}

}  // namespace gpuarray::py
