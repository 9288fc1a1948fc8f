// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "core/error.hpp"
#include "py/binding/values.hpp"

namespace gpuarray::py {

// Throws TypeError "<what>: an integer is required, got bool" for a bool, which Python takes for an
// integer.
inline void refuse_bool(PyObject* object, const char* what) {
  if (PyBool_Check(object))
    throw TypeError(std::string(what) + ": an integer is required, got bool");
}

// Converts an axis or extent as to_int64() does, but refuses bools.
inline int64_t to_integer(PyObject* object, const char* what) {
  refuse_bool(object, what);
  return to_int64(object);
}

}  // namespace gpuarray::py
