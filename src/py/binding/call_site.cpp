// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/binding/call_site.hpp"

#include <string>

#include "py/binding/gil_hold.hpp"
#include "py/binding/parts.hpp"
#include "runtime/driver/call_site.hpp"

namespace gpuarray::py {
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

// The folder of the package with its slash, "" until it is known.
std::string& package_folder() {
  static std::string& folder = *new std::string;
  return folder;
}

bool is_ours(std::string_view file) {
  return !package_folder().empty() && file.starts_with(package_folder());
}

std::string call_site_text() {
  if (!Py_IsInitialized()) return "";
  const GilHold gil;
  const CallSite site = find_call_site();
  return site.line == 0 ? "" : std::string(site.file) + ":" + std::to_string(site.line);
}

}  // namespace

CallSite find_call_site() noexcept {
  const ErrorsKept errors;
  const CollectionPaused paused;
  static PyObject* const back = PyUnicode_InternFromString("f_back");
  CallSite site;
  auto* innermost = reinterpret_cast<PyObject*>(PyEval_GetFrame());
  Ref at = innermost == nullptr ? Ref() : Ref::borrow(innermost);
  while (at && at.get() != Py_None) {
    auto* frame = reinterpret_cast<PyFrameObject*>(at.get());
    Ref name = file_of(frame);
    if (const std::string_view file = text_of(name); !is_ours(file)) {
      site = {std::move(name), file, PyFrame_GetLineNumber(frame)};
      break;
    }
    at = attribute(at, back);
  }
  PyErr_Clear();
  return site;
}

void set_up_call_sites() {
  const Ref module = checked(PyImport_ImportModule("gpuarray"));
  const Ref file = checked(PyObject_GetAttrString(module.get(), "__file__"));
  const std::string_view path = text_of(file);
  package_folder() = path.substr(0, path.rfind('/') + 1);
  set_call_site_function(call_site_text);
}

}  // namespace gpuarray::py
