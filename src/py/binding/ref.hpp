// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <utility>

#include "py/binding/python.hpp"

namespace gpuarray::py {

// Thrown when a C API call failed and has set a Python exception; Slot<> passes that one on.
struct PythonError {};

// Owns one reference to a Python object, or none. Parameters and results that are a raw PyObject*
// are borrowed.
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

  // Takes over a reference that the caller owns; null is allowed.
  static Ref steal(PyObject* object) {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  // Adds a reference to a borrowed object; null is allowed.
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

// Takes over the new reference that a C API call returned. Throws PythonError if it is null.
inline Ref checked(PyObject* object) {
  if (object == nullptr) throw PythonError();
  return Ref::steal(object);
}

// Passes on the result of a C API call that returns a negative number on failure. Throws
// PythonError then.
template <class Integer>
inline Integer checked_status(Integer status) {
  if (status < 0) throw PythonError();
  return status;
}

// Sets the current Python error aside for the scope and restores it at the end. Errors that are
// raised within the scope are dropped.
class SavedError {
 public:
  SavedError() { PyErr_Fetch(&type_, &value_, &traceback_); }
  ~SavedError() { PyErr_Restore(type_, value_, traceback_); }
  SavedError(const SavedError&) = delete;
  SavedError& operator=(const SavedError&) = delete;

 private:
  PyObject *type_, *value_, *traceback_;
};

inline Ref none() { return Ref::borrow(Py_None); }
inline Ref not_implemented() { return Ref::borrow(Py_NotImplemented); }
inline Ref py_bool(bool value) { return Ref::borrow(value ? Py_True : Py_False); }

}  // namespace gpuarray::py
