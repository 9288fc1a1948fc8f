// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <cstddef>
#include <new>

#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/parts.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/exchange/dlpack.hpp"
#include "runtime/buffer/capture.hpp"
#include "runtime/stream/recording.hpp"

namespace gpuarray::py {

PyTypeObject* array_type = nullptr;

namespace {

constexpr const char* kArrayDoc =
    "GPUArray(shape, dtype='float64', order='C', *, device=None, stream=None)\n--\n\n"
    "An n-dimensional array in the memory of a device, uninitialised.\n\n"
    "shape: int or tuple of ints; dtype: anything numpy.dtype takes, or 'bfloat16'; order: 'C' or "
    "'F';\n"
    "device: a Device or its name, by default the default device; stream: what the memory is ready "
    "for,\n"
    "else the current one. Operations follow NumPy's rules and are queued on the device's current\n"
    "stream.";

Ref array_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static constexpr Signature<5> kSignature{
      "GPUArray", {"shape", "dtype", "order", "device", "stream"}, 1, 3};
  auto [shape, dtype, order, device, stream] = parse(kSignature, args, kwargs);
  const StreamScope scope(stream, to_device(device));
  return new_array(ops::empty(to_shape(shape), to_optional_dtype(dtype).value_or(DType::float64),
                              to_device(device), to_order(order, "CF", 'C')));
}

void array_dealloc(PyObject* object) noexcept {
  ArrayObject* self = array_object(object);
  if (self->weaklist != nullptr) PyObject_ClearWeakRefs(object);
  self->array.~Array();
  Py_XDECREF(self->base);
  free_object(object);
}

// Text is made in Python: only what is shown is copied from the device.
Ref format(PyObject* object, const char* function) {
  Ref made = import_attribute("gpuarray._protocols.format", function);
  return checked(PyObject_CallFunctionObjArgs(made.get(), object, nullptr));
}

Ref array_repr(PyObject* object) { return format(object, "array_repr"); }
Ref array_str(PyObject* object) { return format(object, "array_str"); }

template <class Row>
Row* close(std::vector<Row>& rows) {
  rows.push_back(Row{});
  return rows.data();
}

PyMethodDef* methods() {
  static std::vector<PyMethodDef> rows;
  append(rows, array_method_rows());
  append(rows, number_method_rows());
  append(rows, reduction_method_rows());
  append(rows, scan_method_rows());
  append(rows, numpy_protocol_rows());
  append(rows, dlpack_method_rows());
  return close(rows);
}

PyGetSetDef* attributes() {
  static std::vector<PyGetSetDef> rows;
  append(rows, attribute_rows());
  append(rows, interchange_rows());
  return close(rows);
}

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ArrayObject, weaklist), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

std::vector<PyType_Slot> slots() {
  std::vector<PyType_Slot> rows = {
      {Py_tp_doc, const_cast<char*>(kArrayDoc)},
      {Py_tp_new, slot<array_new>},
      {Py_tp_dealloc, reinterpret_cast<void*>(&array_dealloc)},
      {Py_tp_repr, slot<array_repr>},
      {Py_tp_str, slot<array_str>},
      {Py_tp_hash, reinterpret_cast<void*>(&PyObject_HashNotImplemented)},
      {Py_tp_members, members},
      {Py_tp_methods, methods()},
      {Py_tp_getset, attributes()},
  };
  append(rows, number_slots());
  append(rows, index_slots());
  append(rows, buffer_slots());
  rows.push_back({0, nullptr});
  return rows;
}

// Without the room for more axes than the array has, which would take every array beyond the sizes
// that malloc keeps at hand.
ArrayObject* allocate_array(int ndim) {
  const size_t unused = static_cast<size_t>(kMaxDims - ndim) * sizeof(int64_t);
  auto* made = static_cast<PyObject*>(PyObject_Malloc(sizeof(ArrayObject) - unused));
  if (made == nullptr) throw std::bad_alloc();
  ArrayObject* self = array_object(PyObject_Init(made, array_type));
  self->weaklist = nullptr;
  self->base = nullptr;
  self->made_at = views_assigned.load(std::memory_order_relaxed);
  return self;
}

}  // namespace

const Array& require_array(PyObject* object, const char* what) {
  if (is_array(object)) return as_array(object);
  throw TypeError(std::string(what) + ": expected a GPUArray, got " + type_name(object) +
                  "; convert with gpuarray.to_device(x)");
}

Ref new_array(Array array, PyObject* base) {
  if (base != nullptr && is_array(base) && array_object(base)->base != nullptr)
    base = array_object(base)->base;
  ArrayObject* self = allocate_array(array.ndim());
  Py_XINCREF(base);
  self->base = base;
  new (&self->array) Array(std::move(array));
  return Ref::steal(reinterpret_cast<PyObject*>(self));
}

Ref new_array_later(int ndim) {
  ArrayObject* self = allocate_array(ndim);
  new (&self->array) Array();
  return Ref::steal(reinterpret_cast<PyObject*>(self));
}

Scalar host_element(const Array& array) {
  refuse_wait(*current_stream(array.device()), "reading an element of a GPUArray");
  Scalar scalar;
  scalar.dtype = array.dtype();
  without_gil_if(!array.device().is_cpu(),
                 [&] { ops::copy_to_host(array, {scalar.bytes, array.nbytes()}, 'C', true); });
  return scalar;
}

void add_array_type(PyObject* module) {
  if (array_type == nullptr) {
    array_type = make_type(module, "gpuarray.GPUArray", sizeof(ArrayObject), slots().data());
    set_type_attribute(array_type, dlpack::kExchangeAttribute, exchange_table());
  }
  add_type(module, "GPUArray", array_type);
}

}  // namespace gpuarray::py
