// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/binding/values.hpp"

#include "core/error.hpp"
#include "py/binding/call_python.hpp"

namespace gpuarray::py {

Ref py_string(const std::string& text) {
  return checked(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

Ref py_int(int64_t value) { return checked(PyLong_FromLongLong(value)); }
Ref py_uint(uint64_t value) { return checked(PyLong_FromUnsignedLongLong(value)); }

int64_t to_int64(PyObject* object) {
  Ref number = checked(PyNumber_Index(object));
  long long value = PyLong_AsLongLong(number.get());
  if (value == -1 && PyErr_Occurred()) throw PythonError();
  return value;
}

Ref import_attribute(const char* module, const char* name) {
  Ref imported = call_python(PyImport_ImportModule, module);
  return call_python(PyObject_GetAttrString, imported.get(), name);
}

std::string type_name(PyObject* object) {
  Ref name =
      checked(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__name__"));
  const char* text = PyUnicode_AsUTF8AndSize(name.get(), nullptr);
  if (text == nullptr) throw PythonError();
  return text;
}

std::string to_text(PyObject* object, const char* what) {
  if (!PyUnicode_Check(object))
    throw TypeError(std::string(what) + ": expected a str, got " + type_name(object));
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr) throw PythonError();
  return {text, static_cast<size_t>(size)};
}

std::string text_or_empty(PyObject* object, const char* what) {
  return object == nullptr ? std::string() : to_text(object, what);
}

bool has_attribute(PyObject* object, const char* name) {
  return PyObject_HasAttrString(object, name) == 1;
}

}  // namespace gpuarray::py
