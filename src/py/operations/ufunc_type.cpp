// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The type of the functions that NumPy has as ufuncs: called as functions of the module are, and
// with the attributes and methods of NumPy's.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/op.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/binding/values.hpp"
#include "py/binding/vectorcall.hpp"
#include "py/operations/parts.hpp"

namespace gpuarray::py {

namespace {

PyTypeObject* ufunc_type = nullptr;

// The signature of METH_FASTCALL | METH_KEYWORDS.
using FastFunction = PyObject* (*)(PyObject* module, PyObject* const* args, Py_ssize_t nargs,
                                   PyObject* kwnames);

struct UfuncObject {
  PyObject_HEAD VectorCall vectorcall;
  FastFunction function;  // what `wrapped` calls
  PyObject* wrapped;      // the function of the module
  bool is_matmul;         // which has the keywords `casting` and `order` itself, and no `where`
  PyObject* weaklist;
};

UfuncObject& state_of(PyObject* self) { return *reinterpret_cast<UfuncObject*>(self); }

// Returns whether a keyword of NumPy's ufuncs that only Python code implements is among the names.
bool has_option(const UfuncObject& ufunc, PyObject* kwnames) {
  constexpr const char* kOptions[] = {"casting", "order", "where", "subok", "signature", "sig"};
  const auto options = std::span(kOptions).subspan(ufunc.is_matmul ? 3 : 0);
  for (Py_ssize_t index = 0; index < PyTuple_Size(kwnames); ++index)
    for (const char* option : options)
      if (PyUnicode_CompareWithASCIIString(PyTuple_GetItem(kwnames, index), option) == 0)
        return true;
  return false;
}

// Calls the ufunc with such keywords, in Python.
Ref call_with_options(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const Ref call = import_attribute("gpuarray._ufuncs.ufunc_call", "call_with_options");
  const Ref name = checked(PyObject_GetAttrString(state_of(self).wrapped, "__name__"));
  const Ref positional = checked(PyTuple_New(nargs));
  for (Py_ssize_t index = 0; index < nargs; ++index)
    PyTuple_SetItem(positional.get(), index, Ref::borrow(args[index]).release());
  const Ref keywords = checked(PyDict_New());
  for (Py_ssize_t index = 0; index < PyTuple_Size(kwnames); ++index)
    checked_status(
        PyDict_SetItem(keywords.get(), PyTuple_GetItem(kwnames, index), args[nargs + index]));
  return call_python(PyObject_CallFunctionObjArgs, call.get(), name.get(), positional.get(),
                     keywords.get(), nullptr);
}

// The function of the module refuses a call with an option before it does anything. So no other
// call has to look for options.
[[gnu::noinline]] PyObject* call_with_keywords(PyObject* self, PyObject* const* args,
                                               Py_ssize_t nargs, PyObject* kwnames) noexcept {
  PyObject* made = state_of(self).function(nullptr, args, nargs, kwnames);
  if (made != nullptr || !has_option(state_of(self), kwnames)) [[likely]]
    return made;
  PyErr_Clear();
  return Slot<call_with_options, Entry::joins>::call(self, args, nargs, kwnames);
}

PyObject* ufunc_vectorcall(PyObject* self, PyObject* const* args, size_t nargsf,
                           PyObject* kwnames) noexcept {
  const Py_ssize_t nargs = positional_count(nargsf);
  if (kwnames != nullptr) return call_with_keywords(self, args, nargs, kwnames);
  return state_of(self).function(nullptr, args, nargs, nullptr);
}

Ref call_ufunc(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return checked(ufunc_vectorcall(self, args, static_cast<size_t>(nargs), kwnames));
}

Ref get_of_function(PyObject* self, void* name) {
  return checked(PyObject_GetAttrString(state_of(self).wrapped, static_cast<const char*>(name)));
}

Ref get_of_numpy(PyObject* self, void* name) {
  const Ref find = import_attribute("gpuarray._ufuncs.ufunc_attributes", "attribute");
  const Ref function = checked(PyObject_GetAttrString(state_of(self).wrapped, "__name__"));
  const Ref key = py_string(static_cast<const char*>(name));
  return call_python(PyObject_CallFunctionObjArgs, find.get(), function.get(), key.get(), nullptr);
}

// Finds what the type has of its own, too, at the function. The type has no __signature__, which
// inspect would take for that of its constructor.
Ref attribute_of(PyObject* self, PyObject* name) {
  const std::string text = to_text(name, "attribute");
  if (text == "__doc__" || text == "__module__")
    return checked(PyObject_GetAttr(state_of(self).wrapped, name));
  if (text == "__signature__") return get_of_numpy(self, const_cast<char*>("__signature__"));
  return checked(PyObject_GenericGetAttr(self, name));
}

Ref ufunc_repr(PyObject* self) {
  const Ref name = checked(PyObject_GetAttrString(state_of(self).wrapped, "__name__"));
  return checked(PyUnicode_FromFormat("<gpuarray.ufunc %R>", name.get()));
}

// Pickles and copies are the object itself, found by its name.
Ref ufunc_reduce(PyObject* self, PyObject*) {
  return checked(PyObject_GetAttrString(state_of(self).wrapped, "__name__"));
}

void ufunc_dealloc(PyObject* self) noexcept {
  if (state_of(self).weaklist != nullptr) PyObject_ClearWeakRefs(self);
  Py_DECREF(state_of(self).wrapped);
  free_object(self);
}

PyMethodDef methods[] = {
    {"__reduce__", method<ufunc_reduce, Entry::joins>, METH_NOARGS, nullptr},
    {},
};

template <auto get>
PyGetSetDef row(const char* name) {
  return {name, &Slot<get, Entry::joins>::call, nullptr, nullptr, const_cast<char*>(name)};
}

PyGetSetDef attributes[] = {
    row<get_of_function>("__name__"),
    row<get_of_function>("__qualname__"),
    row<get_of_function>("__text_signature__"),
    row<get_of_numpy>("accumulate"),
    row<get_of_numpy>("at"),
    row<get_of_numpy>("identity"),
    row<get_of_numpy>("nargs"),
    row<get_of_numpy>("nin"),
    row<get_of_numpy>("nout"),
    row<get_of_numpy>("ntypes"),
    row<get_of_numpy>("outer"),
    row<get_of_numpy>("reduce"),
    row<get_of_numpy>("reduceat"),
    row<get_of_numpy>("signature"),
    row<get_of_numpy>("types"),
    {},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(UfuncObject, vectorcall), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(UfuncObject, weaklist), READONLY, nullptr},
    {"__wrapped__", T_OBJECT, offsetof(UfuncObject, wrapped), READONLY, nullptr},
    {},
};

PyType_Slot slots[] = {
    {Py_tp_doc,
     const_cast<char*>(
         "A function of elements, as gpuarray.add, with the attributes nin, nout, nargs, "
         "ntypes,\ntypes, identity and signature and the methods reduce, accumulate, "
         "reduceat, outer and at\nof NumPy's ufunc of the same name.")},
    {Py_tp_dealloc, reinterpret_cast<void*>(&ufunc_dealloc)},
    {Py_tp_call, slot<call_with_tuple<call_ufunc>, Entry::joins>},
    {Py_tp_getattro, slot<attribute_of, Entry::joins>},
    {Py_tp_repr, slot<ufunc_repr, Entry::joins>},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {Py_tp_members, members},
    {0, nullptr},
};

// Puts a ufunc in the place of the module's function of the name.
void wrap(PyObject* module, const char* name) {
  const Ref function = checked(PyObject_GetAttrString(module, name));
  auto* self = allocate_object<UfuncObject>(ufunc_type);
  self->vectorcall = &ufunc_vectorcall;
  self->function = reinterpret_cast<FastFunction>(
      reinterpret_cast<void (*)()>(PyCFunction_GetFunction(function.get())));
  self->wrapped = Ref::borrow(function.get()).release();
  self->is_matmul = std::string_view(name) == "matmul";
  self->weaklist = nullptr;
  const Ref made = Ref::steal(reinterpret_cast<PyObject*>(self));
  make_immortal(made.get());
  checked_status(PyModule_AddObjectRef(module, name, made.get()));
}

}  // namespace

void add_ufunc_type(PyObject* module) {
  if (ufunc_type == nullptr)
    ufunc_type = make_type(module, "gpuarray.ufunc", sizeof(UfuncObject), slots, kHasVectorCall);
  add_type(module, "ufunc", ufunc_type);
  constexpr const char* kNames[] = {
#define GPUARRAY_UNARY(name, ...) #name,
#define GPUARRAY_BINARY(name, ...) #name,
#define GPUARRAY_TERNARY(name, ...)
#include "kernels/ops.def"
      "matmul",
  };
  const Ref type = import_attribute("numpy", "ufunc");
  const Ref numpy = call_python(PyImport_ImportModule, "numpy");
  for (const char* name : kNames) {
    const Ref counterpart = Ref::steal(PyObject_GetAttrString(numpy.get(), name));
    if (counterpart.get() == nullptr) PyErr_Clear();
    if (counterpart.get() != nullptr &&
        checked_status(PyObject_IsInstance(counterpart.get(), type.get())))
      wrap(module, name);
  }
}

}  // namespace gpuarray::py
