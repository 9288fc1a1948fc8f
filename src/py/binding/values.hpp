// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <string>

#include "py/binding/ref.hpp"

// Numbers, texts and attributes of Python objects as C++ values, and back. All throw PythonError
// for what Python raises.
namespace gpuarray::py {

// A str of UTF-8 text; bytes that are none become replacement characters.
Ref py_string(const std::string& text);
Ref py_int(int64_t value);
Ref py_uint(uint64_t value);
// The value of an int, or of what has __index__. Python's OverflowError beyond 64 bits.
int64_t to_int64(PyObject* object);
// The UTF-8 text of a str; TypeError "<what>: expected a str, got <type>" for anything else.
std::string to_text(PyObject* object, const char* what);
// As `to_text`; "" for null.
std::string text_or_empty(PyObject* object, const char* what);
// The name of the object's type without its module: "ndarray".
std::string type_name(PyObject* object);
// Whether the object has the attribute; errors of looking it up count as no.
bool has_attribute(PyObject* object, const char* name);
// Attribute `name` of `module`, which is imported first; looked up at every call, for rare paths.
Ref import_attribute(const char* module, const char* name);

}  // namespace gpuarray::py
