// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/launch_place.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "py/ref.hpp"

namespace gpuarray::py {

thread_local const Place* place_without_gil = nullptr;

namespace {

// The error that was there stays; those of the scope are dropped.
class ErrorsKept {
 public:
  ErrorsKept() { PyErr_Fetch(&type_, &value_, &traceback_); }
  ~ErrorsKept() { PyErr_Restore(type_, value_, traceback_); }
  ErrorsKept(const ErrorsKept&) = delete;
  ErrorsKept& operator=(const ErrorsKept&) = delete;

 private:
  PyObject *type_, *value_, *traceback_;
};

// A frame is an object of the garbage collector, whose finalizers must not run amid a launch.
class CollectionPaused {
 public:
  CollectionPaused() : was_enabled_(PyGC_Disable() == 1) {}
  ~CollectionPaused() {
    if (was_enabled_) PyGC_Enable();
  }
  CollectionPaused(const CollectionPaused&) = delete;
  CollectionPaused& operator=(const CollectionPaused&) = delete;

 private:
  bool was_enabled_;
};

// Null if there is none; `name` is interned.
Ref attribute(const Ref& object, PyObject* name) {
  return Ref::steal(name == nullptr ? nullptr : PyObject_GetAttr(object.get(), name));
}

// "" if it cannot be read.
std::string_view text_of(const Ref& object) {
  Py_ssize_t size = 0;
  const char* text = object ? PyUnicode_AsUTF8AndSize(object.get(), &size) : nullptr;
  return text == nullptr ? std::string_view() : std::string_view(text, static_cast<size_t>(size));
}

Ref file_of(PyFrameObject* frame) {
  static PyObject* const name = PyUnicode_InternFromString("co_filename");
  const Ref code = Ref::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  return attribute(code, name);
}

// The folder of the package with its slash, "" until it can be found.
std::string package_folder() {
  const Ref module = Ref::steal(PyImport_ImportModule("gpuarray"));
  if (!module) return "";
  const Ref file = Ref::steal(PyObject_GetAttrString(module.get(), "__file__"));
  const std::string_view path = text_of(file);
  return std::string(path.substr(0, path.rfind('/') + 1));
}

bool is_ours(std::string_view file) {
  static const std::string& folder = *new std::string(package_folder());
  return !folder.empty() && file.starts_with(folder);
}

void set_place(Place& place, std::string_view file, int line) {
  constexpr size_t kMost = Place::kFileBytes - 1;
  if (file.size() > kMost) file.remove_prefix(file.size() - kMost);
  std::copy(file.begin(), file.end(), place.file);
  place.file[file.size()] = '\0';
  place.line = line;
}

}  // namespace

void find_place(Place& place) noexcept try {
  const ErrorsKept errors;
  const CollectionPaused paused;
  static PyObject* const back = PyUnicode_InternFromString("f_back");
  PyObject* innermost = reinterpret_cast<PyObject*>(PyEval_GetFrame());
  if (innermost == nullptr) return;
  Ref at = Ref::borrow(innermost);
  while (at && at.get() != Py_None) {
    auto* frame = reinterpret_cast<PyFrameObject*>(at.get());
    const Ref file = file_of(frame);
    if (!is_ours(text_of(file))) {
      set_place(place, text_of(file), PyFrame_GetLineNumber(frame));
      break;
    }
    at = attribute(at, back);
  }
  PyErr_Clear();
} catch (...) {  // no memory: the place stays unknown
}

void KeptPlace::keep() noexcept try {
  if (launch_mode() == 0) return;
  find_place(place_.emplace());
  place_without_gil = &*place_;
} catch (...) {  // the environment is wrong, which a launch will say
}

}  // namespace gpuarray::py
