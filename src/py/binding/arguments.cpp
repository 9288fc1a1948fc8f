// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/binding/arguments.hpp"

#include <string>

#include "core/error.hpp"
#include "py/binding/values.hpp"

namespace gpuarray::py {

Py_ssize_t tuple_size(PyObject* object, const char* what, Py_ssize_t size) {
  const std::string expected = std::string(what) + ": expected a tuple";
  if (!PyTuple_Check(object)) throw TypeError(expected + ", got " + type_name(object));
  const Py_ssize_t found = PyTuple_Size(object);
  if (size >= 0 && found != size)
    throw TypeError(expected + " of " + std::to_string(size) + ", got " + std::to_string(found));
  return found;
}

}  // namespace gpuarray::py

namespace gpuarray::py::detail {

namespace {

// Matches the arguments of one call with a signature. Its functions throw the TypeError that
// CPython would.
struct Matcher {
  const char* function;
  const char* const* names;
  int count;
  int required;
  int positional;
  int positional_only;
  PyObject** values;

  std::string call() const { return std::string(function) + "()"; }

  void take_positional(Py_ssize_t given) const {
    if (given <= positional) return;
    std::string range = required < positional
                            ? "from " + std::to_string(std::min(required, positional)) + " to " +
                                  std::to_string(positional)
                            : std::to_string(positional);
    throw TypeError(call() + " takes " + range + " positional argument" +
                    (positional == 1 ? "" : "s") + " but " + std::to_string(given) +
                    (given == 1 ? " was given" : " were given"));
  }

  // Returns the index of the parameter, -1 if there is none. Positional-only ones come last.
  int index_of(PyObject* name) const {
    const auto is_at = [&](int index) {
      return PyUnicode_CompareWithASCIIString(name, names[index]) == 0;
    };
    for (int index = positional_only; index < count; ++index)
      if (is_at(index)) return index;
    for (int index = 0; index < positional_only; ++index)
      if (is_at(index)) return index;
    return -1;
  }

  // The keywords that there are.
  std::string taken() const {
    std::string text;
    for (int index = positional_only; index < count; ++index)
      text += (text.empty() ? "; it takes " : ", ") + std::string(names[index]);
    return text;
  }

  void take_keyword(PyObject* name, PyObject* value) const {
    int index = index_of(name);
    if (index < 0) {
      const char* text = PyUnicode_AsUTF8AndSize(name, nullptr);
      if (text == nullptr) throw PythonError();
      throw TypeError(call() + " got an unexpected keyword argument '" + text + "'" + taken());
    }
    if (index < positional_only)
      throw TypeError(call() + " got the positional-only argument '" + names[index] +
                      "' passed as keyword argument");
    if (values[index] != nullptr)
      throw TypeError(call() + " got multiple values for argument '" + names[index] + "'");
    values[index] = value;
  }

  void require() const {
    for (int index = 0; index < required; ++index)
      if (values[index] == nullptr)
        throw TypeError(call() + " missing required argument '" + names[index] + "' (pos " +
                        std::to_string(index + 1) + ")");
  }
};

}  // namespace

void parse(const char* function, const char* const* names, int count, int required, int positional,
           int positional_only, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
           PyObject** values) {
  Matcher matcher{function, names, count, required, positional, positional_only, values};
  matcher.take_positional(nargs);
  for (Py_ssize_t index = 0; index < nargs; ++index) values[index] = args[index];
  Py_ssize_t keywords = kwnames == nullptr ? 0 : PyTuple_Size(kwnames);
  for (Py_ssize_t index = 0; index < keywords; ++index)
    matcher.take_keyword(PyTuple_GetItem(kwnames, index), args[nargs + index]);
  matcher.require();
}

void parse(const char* function, const char* const* names, int count, int required, int positional,
           int positional_only, PyObject* args, PyObject* kwargs, PyObject** values) {
  Matcher matcher{function, names, count, required, positional, positional_only, values};
  Py_ssize_t nargs = PyTuple_Size(args);
  matcher.take_positional(nargs);
  for (Py_ssize_t index = 0; index < nargs; ++index) values[index] = PyTuple_GetItem(args, index);
  PyObject *name, *value;
  for (Py_ssize_t at = 0; kwargs != nullptr && PyDict_Next(kwargs, &at, &name, &value);)
    matcher.take_keyword(name, value);
  matcher.require();
}

}  // namespace gpuarray::py::detail
