// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Classes derived from GPUArray, for namespaces that stand for other libraries. As in NumPy, a call
// gives arrays of the class of its first argument that has one. One place does so for all calls
// into C++, where they return (binding/slot.hpp).
#include <deque>
#include <string>

#include "core/error.hpp"
#include "py/array/parts.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/slot.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/binding/values.hpp"
#include "py/convert/array_object.hpp"

namespace gpuarray::py {

namespace {

constexpr Signature<2> kMakeClass{.function = "_make_class",
                                  .names = {"name", "attributes"},
                                  .required = 2,
                                  .positional_only = 2};
constexpr Signature<2> kAsClass{
    .function = "_as_class", .names = {"a", "type"}, .required = 2, .positional_only = 2};

constexpr const char* kNoBase =
    "type 'gpuarray.GPUArray' is not an acceptable base type; write functions of arrays, or a "
    "class that holds an array";

// Returns the class that an argument gives to results: that of an array whose class is derived, or
// of the first such item of a tuple or list. Arguments of NumPy's functions are items themselves.
PyTypeObject* class_of(PyObject* argument, int depth = 2) {
  if (argument == nullptr || Py_TYPE(argument) == array_type) return nullptr;
  if (is_array(argument)) return Py_TYPE(argument);
  if (depth == 0) return nullptr;
  if (PyTuple_CheckExact(argument)) {
    for (Py_ssize_t k = 0; k < PyTuple_Size(argument); ++k)
      if (auto* found = class_of(PyTuple_GetItem(argument, k), depth - 1)) return found;
  } else if (PyList_CheckExact(argument)) {  // which may be long, but not one of arrays
    for (Py_ssize_t k = 0; k < PyList_Size(argument) && is_array(PyList_GetItem(argument, k)); ++k)
      if (auto* found = class_of(PyList_GetItem(argument, k), 0)) return found;
  }
  return nullptr;
}

PyTypeObject* class_of_call(Arguments first, Arguments others) {
  for (const Arguments arguments : {first, others})
    for (PyObject* argument : arguments)
      if (PyTypeObject* found = class_of(argument)) return found;
  return nullptr;
}

// Gives the class to a new array; one that others hold already keeps its own.
void give_class(PyObject* object, PyTypeObject* type) {
  if (Py_TYPE(object) == array_type && Py_REFCNT(object) == 1) set_class(object, type);
}

void give_class_to_result(PyObject* result, Arguments first, Arguments others) {
  const bool is_tuple = PyTuple_CheckExact(result), is_list = PyList_CheckExact(result);
  if (Py_TYPE(result) != array_type && !is_tuple && !is_list) return;
  PyTypeObject* const type = class_of_call(first, others);
  if (type == nullptr || type == array_type) return;
  if (is_tuple)
    for (Py_ssize_t k = 0; k < PyTuple_Size(result); ++k)
      give_class(PyTuple_GetItem(result, k), type);
  else if (is_list)
    for (Py_ssize_t k = 0; k < PyList_Size(result); ++k)
      give_class(PyList_GetItem(result, k), type);
  else
    give_class(result, type);
}

// The name of a class that is made must live as long as the class.
const char* kept_name(PyObject* name) {
  static std::deque<std::string> names;
  return names.emplace_back(to_text(name, "name")).c_str();
}

// Makes a class with these attributes. A class statement cannot: its instances would be collected
// cyclically, and arrays are allocated without the room for that.
Ref make_class(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [name, attributes] = parse(kMakeClass, args, nargs, kwnames);
  PyType_Slot slots[] = {{Py_tp_dealloc, PyType_GetSlot(array_type, Py_tp_dealloc)},
                         {Py_tp_new, PyType_GetSlot(array_type, Py_tp_new)},
                         {0, nullptr}};
  PyType_Spec spec{kept_name(name), 0, 0, Py_TPFLAGS_DEFAULT, slots};
  Ref made = checked(PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject*>(array_type)));
  make_immortal(made.get());
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(attributes, &at, &key, &value) != 0;)
    checked_status(PyObject_SetAttr(made.get(), key, value));
  on_result.store(&give_class_to_result, std::memory_order_relaxed);
  return made;
}

Ref as_class(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [array, type] = parse(kAsClass, args, nargs, kwnames);
  require_array(array, "_as_class");
  auto* const wanted = reinterpret_cast<PyTypeObject*>(type);
  if (PyType_Check(type) == 0 || PyType_IsSubtype(wanted, array_type) == 0)
    throw TypeError("_as_class: expected a class of arrays, got " + type_name(type));
  set_class(array, wanted);
  return Ref::borrow(array);
}

// The type allows classes derived from it for make_class() alone.
Ref refuse_subclass(PyObject*, PyObject*, PyObject*) { throw TypeError(kNoBase); }

}  // namespace

void set_class(PyObject* array, PyTypeObject* type) {
  PyTypeObject* const before = Py_TYPE(array);
  if (before == type) return;
  // Of a class statement whose other base has its own __init_subclass__.
  if ((PyType_GetFlags(type) & Py_TPFLAGS_HAVE_GC) != 0) throw TypeError(kNoBase);
  Py_INCREF(reinterpret_cast<PyObject*>(type));
  Py_SET_TYPE(array, type);
  Py_DECREF(reinterpret_cast<PyObject*>(before));
}

bool views_elements(PyObject* array) {
  if (Py_TYPE(array) == array_type) return false;
  const Ref found = Ref::steal(
      PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(array)), "_elements_are_views"));
  if (!found) PyErr_Clear();
  return found.get() == Py_True;
}

MethodRows class_method_rows() {
  static const PyMethodDef rows[] = {
      {"__init_subclass__", method<refuse_subclass, Entry::joins>,
       METH_CLASS | METH_VARARGS | METH_KEYWORDS, nullptr},
  };
  return rows;
}

MethodRows class_function_rows() {
  static const PyMethodDef rows[] = {
      {"_make_class", method<make_class, Entry::joins>, METH_FASTCALL | METH_KEYWORDS,
       R"(_make_class(name, attributes, /)
--

A class derived from GPUArray with these attributes, a dict, for the arrays of another library's
namespace. Calls give arrays of the class of their first argument that has one.)"},
      {"_as_class", method<as_class, Entry::joins>, METH_FASTCALL | METH_KEYWORDS,
       R"(_as_class(a, type, /)
--

The array itself, from now on one of this class, which is derived from GPUArray.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
