// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/call_site.hpp"

#include "py/convert.hpp"
#include "py/gil.hpp"
#include "py/parts.hpp"

namespace gpuarray::py {
namespace {

// Whether the frame runs code of this package.
bool is_ours(PyObject* frame) {
  Ref globals = checked(PyObject_GetAttrString(frame, "f_globals"));
  PyObject* name = PyDict_GetItemString(globals.get(), "__name__");
  if (name == nullptr || !PyUnicode_Check(name)) return false;
  const std::string text = to_text(name, "__name__");
  return text == "gpuarray" || text.starts_with("gpuarray.");
}

std::string find_site() {
  auto* current = reinterpret_cast<PyObject*>(PyEval_GetFrame());
  if (current == nullptr) return "";
  Ref frame = Ref::borrow(current);
  while (is_ours(frame.get())) {
    frame = checked(PyObject_GetAttrString(frame.get(), "f_back"));
    if (frame.get() == Py_None) return "";
  }
  auto* found = reinterpret_cast<PyFrameObject*>(frame.get());
  Ref code = Ref::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(found)));
  Ref file = checked(PyObject_GetAttrString(code.get(), "co_filename"));
  return to_text(file.get(), "co_filename") + ":" + std::to_string(PyFrame_GetLineNumber(found));
}

std::string python_call_site() {
  if (!Py_IsInitialized()) return "";
  GilHold gil;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  std::string site;
  try {
    site = find_site();
  } catch (const PythonError&) {
    PyErr_Clear();
  }
  PyErr_Restore(type, value, trace);
  return site;
}

}  // namespace

void set_up_call_sites() { set_call_site_function(python_call_site); }

}  // namespace gpuarray::py
