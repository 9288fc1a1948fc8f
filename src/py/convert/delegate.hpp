// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <algorithm>
#include <cstddef>

#include "py/binding/slot.hpp"

namespace gpuarray::py {

// A string literal that can be a template argument.
template <std::size_t Size>
struct Name {
  char text[Size];
  constexpr Name(const char (&literal)[Size]) { std::copy_n(literal, Size, text); }
};

// Calls gpuarray._protocols.array_methods.`name`(self, *args, **kwargs). The module is imported at
// the first call. `args` and `kwargs` may be null.
Ref call_python_method(const char* name, PyObject* self, PyObject* args, PyObject* kwargs);

// Calls the method of the same name that is written in Python: the function of its METH_VARARGS |
// METH_KEYWORDS row.
template <Name name>
Ref delegate(PyObject* self, PyObject* args, PyObject* kwargs) {
  return call_python_method(name.text, self, args, kwargs);
}

}  // namespace gpuarray::py
