// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "py/binding/ref.hpp"

namespace gpuarray::py {

// A line of Python.
struct UserLine {
  std::string file;
  int line = 0;  // from 1; 0 if unknown
};

// Returns the call site of this thread, which must hold the GIL. A Python error stays set.
UserLine user_line();
// Issues a warning of the call site. Returns false with a Python error set if the warning raises.
bool warn_user_line(PyObject* category, const std::string& text);

}  // namespace gpuarray::py
