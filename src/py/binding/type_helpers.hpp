// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>
#include <vector>

#include "py/binding/ref.hpp"
#include "py/binding/slot.hpp"

namespace gpuarray::py {

// Appends the rows of a table to one that closes with a row of nulls when made complete.
template <class Row, class Rows>
void append(std::vector<Row>& table, const Rows& rows) {
  table.insert(table.end(), rows.begin(), rows.end());
}

// A heap type that nobody can change or derive from; lives for the process.
inline PyTypeObject* make_type(PyObject* module, const char* name, int basicsize,
                               PyType_Slot* slots, unsigned int extra_flags = 0) {
  bool has_new = false;  // without one, object's would leave the fields unmade
  for (const PyType_Slot* slot = slots; slot->slot != 0; ++slot)
    has_new = has_new || slot->slot == Py_tp_new;
  unsigned int flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | extra_flags;
  if (!has_new) flags |= Py_TPFLAGS_DISALLOW_INSTANTIATION;
  PyType_Spec spec{name, basicsize, 0, flags, slots};
  return reinterpret_cast<PyTypeObject*>(
      checked(PyType_FromModuleAndSpec(module, &spec, nullptr)).release());
}

// An attribute of the type itself, which nobody can set once it is made: past the check for that.
inline void set_type_attribute(PyTypeObject* type, const char* name, const Ref& value) {
  Ref key = checked(PyUnicode_InternFromString(name));
  checked_status(
      PyObject_GenericSetAttr(reinterpret_cast<PyObject*>(type), key.get(), value.get()));
  PyType_Modified(type);
}

inline void add_type(PyObject* module, const char* name, PyTypeObject* type) {
  checked_status(PyModule_AddObjectRef(module, name, reinterpret_cast<PyObject*>(type)));
}

// A new instance of a heap type, its fields default-constructed by the caller.
template <class Object>
Object* allocate_object(PyTypeObject* type) {
  Object* object = PyObject_New(Object, type);
  if (object == nullptr) throw PythonError();
  return object;
}

// Releases the memory of an instance of a heap type, after its fields.
inline void free_object(PyObject* object) noexcept {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_Free(object);
  Py_DECREF(type);
}

}  // namespace gpuarray::py
