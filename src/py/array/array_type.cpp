// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <cstddef>
#include <vector>

#include "array/ops.hpp"
#include "array/windows/fusion.hpp"
#include "core/error.hpp"
#include "py/array/parts.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/operations/parts.hpp"

namespace gpuarray::py {

namespace {

constexpr const char* kArrayDoc =
    R"(GPUArray(shape, dtype='float64', order='C', *, device=None, stream=None)
--

An n-dimensional array in the memory of a device, uninitialised.

shape: int or tuple of ints; dtype: anything numpy.dtype takes, or 'bfloat16'; order: 'C' or
'F'; device: a Device or its name, by default the default device; stream: what the memory is
ready for, else the current one. Operations follow NumPy's rules and are queued on the device's
current stream.)";

Ref array_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static constexpr Signature<5> kSignature{
      "GPUArray", {"shape", "dtype", "order", "device", "stream"}, 1, 3};
  auto [shape, dtype, order, device, stream] = parse(kSignature, args, kwargs);
  const StreamScope scope(stream, to_device(device));
  Ref made =
      new_array(ops::empty(to_shape(shape), to_optional_dtype(dtype).value_or(DType::float64),
                           to_device(device), to_order(order, "CF", 'C')));
  set_class(made.get(), type);
  return made;
}

void array_dealloc(PyObject* object) noexcept {
  ArrayObject* self = array_object(object);
  if (self->weaklist != nullptr) PyObject_ClearWeakRefs(object);
  if (are_ends_watched()) ops::end(self->array);
  self->array.~Array();
  Py_XDECREF(self->base);
  free_object(object);
}

// Calls the Python function that formats the array, which copies only the elements shown.
Ref format(PyObject* object, const char* function) {
  Ref made = import_attribute("gpuarray._protocols.format", function);
  return call_python(PyObject_CallFunctionObjArgs, made.get(), object, nullptr);
}

Ref array_repr(PyObject* object) { return format(object, "array_repr"); }
Ref array_str(PyObject* object) { return format(object, "array_str"); }

template <class Row>
Row* close(std::vector<Row>& rows) {
  rows.push_back(Row{});
  return rows.data();
}

PyMethodDef* methods(MethodRows added) {
  static std::vector<PyMethodDef> rows;
  append(rows, array_method_rows());
  append(rows, number_method_rows());
  append(rows, reduction_method_rows());
  append(rows, scan_method_rows());
  append(rows, numpy_protocol_rows());
  append(rows, lookup_method_rows());
  append(rows, class_method_rows());
  append(rows, added);
  return close(rows);
}

PyGetSetDef* attributes(GetSetRows added) {
  static std::vector<PyGetSetDef> rows;
  append(rows, attribute_rows());
  append(rows, added);
  return close(rows);
}

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ArrayObject, weaklist), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

std::vector<PyType_Slot> slots(const ArrayParts& added) {
  std::vector<PyType_Slot> rows = {
      {Py_tp_doc, const_cast<char*>(kArrayDoc)},
      {Py_tp_new, slot<array_new>},
      {Py_tp_dealloc, reinterpret_cast<void*>(&array_dealloc)},
      {Py_tp_repr, slot<array_repr>},
      {Py_tp_str, slot<array_str>},
      {Py_tp_members, members},
      {Py_tp_methods, methods(added.methods)},
      {Py_tp_getset, attributes(added.attributes)},
  };
  append(rows, number_slots());
  append(rows, index_slots());
  append(rows, lookup_slots());
  append(rows, added.slots);
  rows.push_back({0, nullptr});
  return rows;
}

}  // namespace

void add_array_type(PyObject* module, const ArrayParts& added) {
  if (array_type == nullptr) {
    array_type = make_type(module, "gpuarray.GPUArray", sizeof(ArrayObject), slots(added).data(),
                           Py_TPFLAGS_BASETYPE);
    finish_lookup(array_type);
  }
  add_type(module, "GPUArray", array_type);
}

}  // namespace gpuarray::py
