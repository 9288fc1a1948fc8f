// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "core/error.hpp"
#include "py/binding/values.hpp"

namespace gpuarray::py {

// Throws TypeError "<what>: expected an int, got <type>" for what is no integer, and for a bool,
// which Python takes for one.
inline void require_integer(PyObject* object, const char* what) {
  if (PyLong_CheckExact(object)) [[likely]]
    return;
  if (PyBool_Check(object) || PyIndex_Check(object) == 0)
    throw TypeError(std::string(what) + ": expected an int, got " + type_name(object));
}

// Converts an axis or extent as to_int64() does, but refuses bools.
inline int64_t to_integer(PyObject* object, const char* what) {
  require_integer(object, what);
  return to_int64(object);
}

}  // namespace gpuarray::py
