// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <array>
#include <cstddef>

#include "py/binding/ref.hpp"

namespace gpuarray::py {

// The signature of a METH_FASTCALL | METH_KEYWORDS function.
template <std::size_t Count>
struct Signature {
  const char* function;
  std::array<const char*, Count> names;      // of the parameters, in order
  int required = static_cast<int>(Count);    // how many of the first must be given
  int positional = static_cast<int>(Count);  // how many of the first may be positional
  int positional_only = 0;                   // how many of the first have to be
};

// Returns the size of a tuple, whose items can be taken then. Throws TypeError for another object,
// and for a tuple of another size if `size` is given.
Py_ssize_t tuple_size(PyObject* object, const char* what, Py_ssize_t size = -1);

// Returns whether an optional argument is there, and not None.
inline bool is_given(PyObject* argument) { return argument != nullptr && argument != Py_None; }
// Returns the argument, or None if it is not there. Both are borrowed.
inline PyObject* or_none(PyObject* argument) { return argument == nullptr ? Py_None : argument; }

namespace detail {
void parse(const char* function, const char* const* names, int count, int required, int positional,
           int positional_only, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
           PyObject** values);
void parse(const char* function, const char* const* names, int count, int required, int positional,
           int positional_only, PyObject* args, PyObject* kwargs, PyObject** values);
}  // namespace detail

// Returns the arguments in the order of the signature, borrowed; null where not given. Throws
// TypeError, worded as by CPython.
template <std::size_t Count>
std::array<PyObject*, Count> parse(const Signature<Count>& signature, PyObject* const* args,
                                   Py_ssize_t nargs, PyObject* kwnames) {
  std::array<PyObject*, Count> values{};
  detail::parse(signature.function, signature.names.data(), static_cast<int>(Count),
                signature.required, signature.positional, signature.positional_only, args, nargs,
                kwnames, values.data());
  return values;
}

// Does the same for a tp_new slot, which gets a tuple, and a dict or null.
template <std::size_t Count>
std::array<PyObject*, Count> parse(const Signature<Count>& signature, PyObject* args,
                                   PyObject* kwargs) {
  std::array<PyObject*, Count> values{};
  detail::parse(signature.function, signature.names.data(), static_cast<int>(Count),
                signature.required, signature.positional, signature.positional_only, args, kwargs,
                values.data());
  return values;
}

}  // namespace gpuarray::py
