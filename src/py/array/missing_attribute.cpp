// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Attribute lookup of GPUArray. The error for a public name that is missing says what to write.
#include "py/array/parts.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/slot.hpp"
#include "py/binding/values.hpp"

namespace gpuarray::py {
namespace {

// Sets the error that Python chooses: either `raised`, an AttributeError, or one with advice for
// `name`.
int advise(PyObject* self, PyObject* name, PyObject* raised) {
  const Ref choose = import_attribute("gpuarray._common.attributes", "array_attribute_error");
  const Ref error = call_python(PyObject_CallFunctionObjArgs, choose.get(),
                                reinterpret_cast<PyObject*>(Py_TYPE(self)), name, raised, nullptr);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
  return -1;
}

// Not a slot<>: a lookup that succeeds costs no more than object's own.
PyObject* array_getattr(PyObject* self, PyObject* name) noexcept {
  PyObject* const found = PyObject_GenericGetAttr(self, name);
  if (found != nullptr || !PyErr_ExceptionMatches(PyExc_AttributeError)) [[likely]]
    return found;
  // A slot may call Python, for which no error must be set.
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  const Ref owned_type = Ref::steal(type), raised = Ref::steal(value),
            owned_traceback = Ref::steal(traceback);
  if (traceback != nullptr) PyException_SetTraceback(value, traceback);
  Slot<advise, Entry::joins>::call(self, name, value);
  return nullptr;
}

}  // namespace

SlotRows lookup_slots() {
  static const PyType_Slot rows[] = {
      {Py_tp_getattro, reinterpret_cast<void*>(&array_getattr)},
  };
  return rows;
}

}  // namespace gpuarray::py
