// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <utility>

#include "py/binding/python.hpp"

namespace gpuarray::py {

// Thrown when a Python exception is already set; `slot` leaves it as it is.
struct PythonError {};

// Owns one reference. A raw PyObject* is borrowed.
class Ref {
 public:
  Ref() = default;
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Ref(const Ref&) = delete;
  Ref& operator=(const Ref&) = delete;
  ~Ref() { Py_XDECREF(object_); }

  static Ref steal(PyObject* object) {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  static Ref borrow(PyObject* object) {
    Py_XINCREF(object);
    return steal(object);
  }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// Takes the new reference of a C API call; throws if it failed.
inline Ref checked(PyObject* object) {
  if (object == nullptr) throw PythonError();
  return Ref::steal(object);
}

// For calls that return a negative number on failure.
template <class Integer>
inline Integer checked_status(Integer status) {
  if (status < 0) throw PythonError();
  return status;
}

inline Ref none() { return Ref::borrow(Py_None); }
inline Ref not_implemented() { return Ref::borrow(Py_NotImplemented); }
inline Ref py_bool(bool value) { return Ref::borrow(value ? Py_True : Py_False); }

}  // namespace gpuarray::py
