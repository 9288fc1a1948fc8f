// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Attribute lookup of GPUArray. The error for a public name that is missing says what to write.
// From Python 3.12 on, __getattr__ raises it, because the interpreter specializes method calls only
// of types with object's lookup, alone or with __getattr__ after it. Python 3.11 specializes those
// of object's lookup alone, so that a call takes some 550 instructions more there.
#include "py/array/parts.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/slot.hpp"
#include "py/binding/type_helpers.hpp"
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

// Returns whether the name has no advice. Protocols ask for such names often.
bool is_private(PyObject* name) {
  return PyUnicode_GetLength(name) == 0 || PyUnicode_ReadChar(name, 0) == '_';
}

// Looks the name up as object does; another error may stand for a missing one. Not a slot<>: a
// lookup that succeeds costs no more than object's own.
PyObject* array_getattr(PyObject* self, PyObject* name) noexcept {
  PyObject* const found = PyObject_GenericGetAttr(self, name);
  if (found != nullptr || !PyErr_ExceptionMatches(PyExc_AttributeError) || is_private(name))
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

// Returns the tp_getattro that Python gives to classes with __getattr__: it looks a name up as
// object does, and calls __getattr__ if that fails.
void* lookup_with_getattr() {
  const Ref type = call_python(PyObject_CallFunction, reinterpret_cast<PyObject*>(&PyType_Type),
                               "s(){sO}", "Lookup", "__getattr__", Py_None);
  return PyType_GetSlot(reinterpret_cast<PyTypeObject*>(type.get()), Py_tp_getattro);
}

bool calls_getattr() { return Py_Version >= 0x030C0000; }

}  // namespace

MethodRows lookup_method_rows() {
  static const PyMethodDef rows[] = {{"__getattr__", array_getattr, METH_O, nullptr}};
  return rows;
}

SlotRows lookup_slots() {
  static const PyType_Slot rows[] = {
      {Py_tp_getattro,
       calls_getattr() ? lookup_with_getattr() : reinterpret_cast<void*>(&array_getattr)},
  };
  return rows;
}

void finish_lookup(PyTypeObject* type) {
  if (calls_getattr()) set_type_attribute(type, "__getattribute__", Ref());
}

}  // namespace gpuarray::py
