// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/binding/call_site.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "core/made_first.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/gil_hold.hpp"
#include "py/binding/parts.hpp"
#include "py/binding/ref.hpp"
#include "py/binding/user_line.hpp"
#include "py/binding/values.hpp"

namespace gpuarray::py {

thread_local const CallSite* call_site_without_gil = nullptr;

namespace {

// Pauses Python's garbage collector for the scope. Finalizers must not run in the middle of a
// launch, and before Python 3.12 making a frame object may start a collection.
class CollectionPaused {
 public:
  CollectionPaused() : was_enabled_(Py_Version < 0x030C0000 && PyGC_Disable() == 1) {}
  ~CollectionPaused() {
    if (was_enabled_) PyGC_Enable();
  }
  CollectionPaused(const CollectionPaused&) = delete;
  CollectionPaused& operator=(const CollectionPaused&) = delete;

 private:
  bool was_enabled_;
};

// Reads an attribute; the result is null if there is none.
Ref attribute(const Ref& object, const Ref& name) {
  return Ref::steal(PyObject_GetAttr(object.get(), name.get()));
}

// Returns the UTF-8 text of a str, which lives as long as the object; "" if it cannot be read.
std::string_view text_of(const Ref& object) {
  Py_ssize_t size = 0;
  const char* text = object ? PyUnicode_AsUTF8AndSize(object.get(), &size) : nullptr;
  return text == nullptr ? std::string_view() : std::string_view(text, static_cast<size_t>(size));
}

Ref file_of(PyFrameObject* frame) {
  static constinit MadeFirst<Ref> name;
  const Ref code = Ref::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  return attribute(code, name.get([] { return interned("co_filename"); }));
}

// Returns the package's folder with a slash at its end; "" until set_up_call_sites() has run.
std::string& package_folder() {
  static std::string& folder = *new std::string;
  return folder;
}

bool is_ours(std::string_view file) {
  return !package_folder().empty() && file.starts_with(package_folder());
}

// A line of Python as its frame gives it.
struct FrameLine {
  Ref frame;
  Ref name;               // owns the characters of `file`
  std::string_view file;  // path
  int line = 0;           // from 1; 0 if unknown
};

// Returns the innermost line of this thread outside gpuarray. The GIL must be held. No finalizer of
// Python runs, and a Python error that is set stays set.
FrameLine find_line() noexcept {
  const SavedError errors;
  const CollectionPaused paused;
  static constinit MadeFirst<Ref> back;
  FrameLine found;
  auto* innermost = reinterpret_cast<PyObject*>(PyEval_GetFrame());
  Ref at = innermost == nullptr ? Ref() : Ref::borrow(innermost);
  while (at && at.get() != Py_None) {
    auto* frame = reinterpret_cast<PyFrameObject*>(at.get());
    Ref name = file_of(frame);
    if (const std::string_view file = text_of(name); !is_ours(file)) {
      found = {Ref::borrow(at.get()), std::move(name), file, PyFrame_GetLineNumber(frame)};
      break;
    }
    at = attribute(at, back.get([] { return interned("f_back"); }));
  }
  PyErr_Clear();
  return found;
}

// Writes the call site while the GIL is held; keeps the end of a path that is too long.
void find_with_gil(CallSite& site) noexcept {
  constexpr size_t kMost = CallSite::kFileBytes - 1;
  FrameLine found = find_line();
  if (found.line == 0) return;
  if (found.file.size() > kMost) found.file.remove_prefix(found.file.size() - kMost);
  std::copy(found.file.begin(), found.file.end(), site.file);
  site.file[found.file.size()] = '\0';
  site.line = found.line;
}

// Writes the call site: the one that was saved when this thread released the GIL, else it is looked
// for, which takes the GIL.
void find_call_site(CallSite& site) {
  if (gil_released && call_site_without_gil->line != 0) {
    site = *call_site_without_gil;
  } else if (Py_IsInitialized()) {
    const GilHold gil;
    find_with_gil(site);
  }
}

}  // namespace

UserLine user_line() {
  const FrameLine found = find_line();
  return {std::string(found.file), found.line};
}

bool warn_user_line(PyObject* category, const std::string& text) {
  const FrameLine at = find_line();
  if (at.line == 0) return PyErr_WarnEx(category, text.c_str(), 1) == 0;
  // The module's registry knows which lines have warned.
  const Ref globals = Ref::steal(PyObject_GetAttrString(at.frame.get(), "f_globals"));
  const Ref empty = Ref::steal(PyDict_New());
  Ref registry, module;
  if (globals && empty) {
    registry = Ref::steal(
        PyObject_CallMethod(globals.get(), "setdefault", "sO", "__warningregistry__", empty.get()));
    module = Ref::steal(PyObject_CallMethod(globals.get(), "get", "s", "__name__"));
  }
  const char* name = text_of(module).data();
  PyErr_Clear();
  return PyErr_WarnExplicit(category, text.c_str(), at.file.data(), at.line, name,
                            registry.get()) == 0;
}

void SavedCallSite::save() noexcept try {
  if (launch_mode() == 0) return;
  find_with_gil(site_.emplace());
  call_site_without_gil = &*site_;
} catch (...) {  // A variable of the environment is malformed; the launch itself reports that.
}

void set_up_call_sites() {
  const Ref module = call_python(PyImport_ImportModule, "gpuarray");
  const Ref file = checked(PyObject_GetAttrString(module.get(), "__file__"));
  const std::string_view path = text_of(file);
  package_folder() = path.substr(0, path.rfind('/') + 1);
  set_call_site_finder(find_call_site);
}

}  // namespace gpuarray::py
