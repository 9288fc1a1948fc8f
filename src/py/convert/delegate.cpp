// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/convert/delegate.hpp"

#include "py/binding/call_python.hpp"

namespace gpuarray::py {
namespace {

Ref with_self(PyObject* self, PyObject* args) {
  const Py_ssize_t count = args == nullptr ? 0 : PyTuple_Size(args);
  Ref all = checked(PyTuple_New(count + 1));
  checked_status(PyTuple_SetItem(all.get(), 0, Ref::borrow(self).release()));
  for (Py_ssize_t i = 0; i < count; ++i)
    checked_status(
        PyTuple_SetItem(all.get(), i + 1, Ref::borrow(PyTuple_GetItem(args, i)).release()));
  return all;
}

}  // namespace

Ref call_python_method(const char* name, PyObject* self, PyObject* args, PyObject* kwargs) {
  Ref module = call_python(PyImport_ImportModule, "gpuarray._protocols.array_methods");
  Ref function = checked(PyObject_GetAttrString(module.get(), name));
  return call_python(PyObject_Call, function.get(), with_self(self, args).get(), kwargs);
}

}  // namespace gpuarray::py
