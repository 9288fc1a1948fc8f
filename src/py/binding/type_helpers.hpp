// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>
#include <vector>

#include "py/binding/gil_stand_in.hpp"
#include "py/binding/ref.hpp"
#include "py/binding/slot.hpp"

namespace gpuarray::py {

// Appends rows to a table that gets its closing row of nulls last.
template <class Row, class Rows>
void append(std::vector<Row>& table, const Rows& rows) {
  table.insert(table.end(), rows.begin(), rows.end());
}

// Makes an immutable final heap type, which lives for the process. Without a Py_tp_new slot Python
// code cannot make instances.
inline PyTypeObject* make_type(PyObject* module, const char* name, int basicsize,
                               PyType_Slot* slots, unsigned int extra_flags = 0) {
  bool has_new = false;  // object.__new__ would leave the fields unconstructed
  for (const PyType_Slot* slot = slots; slot->slot != 0; ++slot)
    has_new = has_new || slot->slot == Py_tp_new;
  unsigned int flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | extra_flags;
  if (!has_new) flags |= Py_TPFLAGS_DISALLOW_INSTANTIATION;
  PyType_Spec spec{name, basicsize, 0, flags, slots};
  Ref type = checked(PyType_FromModuleAndSpec(module, &spec, nullptr));
  make_immortal(type.get());
  return reinterpret_cast<PyTypeObject*>(type.release());
}

// Sets an attribute of the type itself, or removes it if `value` is null, past the check that makes
// immutable types refuse it.
inline void set_type_attribute(PyTypeObject* type, const char* name, const Ref& value) {
  Ref key = checked(PyUnicode_InternFromString(name));
  checked_status(
      PyObject_GenericSetAttr(reinterpret_cast<PyObject*>(type), key.get(), value.get()));
  PyType_Modified(type);
}

// Adds a type to the module under a name.
inline void add_type(PyObject* module, const char* name, PyTypeObject* type) {
  checked_status(PyModule_AddObjectRef(module, name, reinterpret_cast<PyObject*>(type)));
}

// Allocates an instance of a heap type, whose fields the caller must construct. Throws PythonError.
template <class Object>
Object* allocate_object(PyTypeObject* type) {
  Object* object = PyObject_New(Object, type);
  if (object == nullptr) throw PythonError();
  return object;
}

// The same for a type with Py_TPFLAGS_HAVE_GC. The caller tracks the object when its fields are
// constructed. Throws PythonError.
template <class Object>
Object* allocate_collected(PyTypeObject* type) {
  Object* object = PyObject_GC_New(Object, type);
  if (object == nullptr) throw PythonError();
  return object;
}

// Frees an instance of a heap type, whose fields the caller has destroyed.
inline void free_object(PyObject* object) noexcept {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_Free(object);
  Py_DECREF(type);
}

// The same for what allocate_collected() made, which the caller has untracked.
inline void free_collected(PyObject* object) noexcept {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_Del(object);
  Py_DECREF(type);
}

}  // namespace gpuarray::py
