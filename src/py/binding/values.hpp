// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <string>

#include "py/binding/ref.hpp"

// Conversions between Python objects and C++ numbers and texts, and access to attributes. All throw
// PythonError for errors that Python raises.
namespace gpuarray::py {

// Returns a str of UTF-8 text. Invalid bytes become replacement characters.
Ref py_string(const std::string& text);
// Returns a str whose look-ups in dictionaries compare addresses.
inline Ref interned(const char* text) { return checked(PyUnicode_InternFromString(text)); }
Ref py_int(int64_t value);
Ref py_uint(uint64_t value);
// Returns the value of an int, or of an object with __index__. Raises OverflowError beyond 64 bits.
int64_t to_int64(PyObject* object);
// Returns the UTF-8 text of a str. Throws TypeError "<what>: expected a str, got <type>".
std::string to_text(PyObject* object, const char* what);
// Does the same; "" for null.
std::string text_or_empty(PyObject* object, const char* what);
// Returns the name of the object's type without its module: "ndarray".
std::string type_name(PyObject* object);
// Returns whether the object has the attribute. An error in looking it up counts as false.
bool has_attribute(PyObject* object, const char* name);
// Returns the attribute `name` of `module`, which is imported. Both are looked up at every call, so
// this is for rare paths.
Ref import_attribute(const char* module, const char* name);

// Returns whether the object is a list or tuple, which may stand for an array.
inline bool is_list(PyObject* object) { return PyList_Check(object) || PyTuple_Check(object); }

}  // namespace gpuarray::py
