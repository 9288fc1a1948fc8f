// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <vector>

#include "py/binding/slot.hpp"

// The stable ABI declares vectorcall since Python 3.12; it has existed unchanged since 3.8.
namespace gpuarray::py {

using VectorCall = PyObject* (*)(PyObject* callable, PyObject* const* args, size_t nargsf,
                                 PyObject* kwnames);
inline constexpr unsigned int kHasVectorCall = 1u << 11;

// Returns the number of positional arguments without the flag that callers may add.
constexpr Py_ssize_t positional_count(size_t nargsf) {
  constexpr size_t kOffsetFlag = size_t{1} << (8 * sizeof(size_t) - 1);
  return static_cast<Py_ssize_t>(nargsf & ~kOffsetFlag);
}

// Makes a vectorcall function out of one with the signature of METH_FASTCALL | METH_KEYWORDS.
template <Ref (*function)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*)>
PyObject* vectorcall(PyObject* self, PyObject* const* args, size_t nargsf,
                     PyObject* kwnames) noexcept {
  return Slot<function>::call(self, args, positional_count(nargsf), kwnames);
}

// Makes the tp_call slot for the same function, which a type with vectorcall must have too.
template <Ref (*function)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*)>
Ref call_with_tuple(PyObject* self, PyObject* args, PyObject* kwargs) {
  const Py_ssize_t count = PyTuple_Size(args);
  std::vector<PyObject*> all;
  for (Py_ssize_t k = 0; k < count; ++k) all.push_back(PyTuple_GetItem(args, k));
  const Ref names = checked(kwargs == nullptr ? PyTuple_New(0) : PySequence_Tuple(kwargs));
  for (Py_ssize_t k = 0; k < PyTuple_Size(names.get()); ++k)
    all.push_back(PyDict_GetItem(kwargs, PyTuple_GetItem(names.get(), k)));
  return function(self, all.data(), count, names.get());
}

}  // namespace gpuarray::py
