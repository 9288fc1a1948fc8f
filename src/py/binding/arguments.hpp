// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <array>
#include <cstddef>

#include "py/binding/ref.hpp"

namespace gpuarray::py {

// The signature of a METH_FASTCALL | METH_KEYWORDS function: names in order, how many are
// positional-only, how many may be positional, how many are required.
template <std::size_t Count>
struct Signature {
  const char* function;
  std::array<const char*, Count> names;
  int required = 0;
  int positional = static_cast<int>(Count);
  int positional_only = 0;
};

namespace detail {
void parse(const char* function, const char* const* names, int count, int required, int positional,
           int positional_only, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
           PyObject** values);
void parse(const char* function, const char* const* names, int count, int required, int positional,
           int positional_only, PyObject* args, PyObject* kwargs, PyObject** values);
}  // namespace detail

// Borrowed arguments by position in the signature, null where not given. TypeError as CPython words
// it.
template <std::size_t Count>
std::array<PyObject*, Count> parse(const Signature<Count>& signature, PyObject* const* args,
                                   Py_ssize_t nargs, PyObject* kwnames) {
  std::array<PyObject*, Count> values{};
  detail::parse(signature.function, signature.names.data(), static_cast<int>(Count),
                signature.required, signature.positional, signature.positional_only, args, nargs,
                kwnames, values.data());
  return values;
}

// The same for a tp_new slot: a tuple and a dict or null.
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
