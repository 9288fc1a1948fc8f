// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/convert/array_object.hpp"

#include <new>
#include <string>
#include <utility>

#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/values.hpp"
#include "py/convert/numpy.hpp"
#include "runtime/stream/recording.hpp"

namespace gpuarray::py {

PyTypeObject* array_type = nullptr;

namespace {

// Allocates an object without the room for axes that the array does not have. With it every array
// would be larger than what Python's allocator and malloc keep at hand.
ArrayObject* allocate_array(int ndim) {
  const size_t unused = static_cast<size_t>(kMaxDims - ndim) * sizeof(int64_t);
  auto* made = static_cast<PyObject*>(PyObject_Malloc(sizeof(ArrayObject) - unused));
  if (made == nullptr) throw std::bad_alloc();
  ArrayObject* self = array_object(PyObject_Init(made, array_type));
  self->weaklist = nullptr;
  self->base = nullptr;
  return self;
}

}  // namespace

const Array& require_array(PyObject* object, const char* what) {
  if (is_array(object)) return as_array(object);
  throw TypeError(std::string(what) + ": expected a GPUArray, got " + type_name(object) +
                  "; convert with gpuarray.to_device(x)");
}

KeptVector<Array> require_arrays(PyObject* sequence, const char* what) {
  KeptVector<Array> arrays;
  const Py_ssize_t count = checked_status(PySequence_Size(sequence));
  arrays.reserve(static_cast<size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i)
    arrays.push_back(require_array(checked(PySequence_GetItem(sequence, i)).get(), what));
  return arrays;
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

Ref new_unset_array(int ndim) {
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

Ref new_view(Array array, PyObject* self) {
  const bool shares = array.buffer() == as_array(self).buffer();
  return new_array(std::move(array), shares ? self : nullptr);
}

bool is_0d_array(PyObject* object) {
  return is_array(object) ? as_array(object).ndim() == 0 : is_numpy_0d(object);
}

}  // namespace gpuarray::py
