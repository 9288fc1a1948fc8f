// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <cstdint>

#include "array/array.hpp"
#include "py/binding/ref.hpp"

namespace gpuarray::py {

// A GPUArray.
struct ArrayObject {
  PyObject_HEAD PyObject* weaklist;
  // The GPUArray whose memory this views, or the object that lent it; null if it owns its memory.
  PyObject* base;
  uint64_t made_at;  // of views_assigned
  Array array;
};

// How many views were assigned to elements of arrays so far.
extern std::atomic<uint64_t> views_assigned;

// Lives for the process; made when the module is executed (array_type.cpp).
extern PyTypeObject* array_type;

inline bool is_array(PyObject* object) { return Py_TYPE(object) == array_type; }
inline ArrayObject* array_object(PyObject* object) {
  return reinterpret_cast<ArrayObject*>(object);
}
inline const Array& as_array(PyObject* object) { return array_object(object)->array; }

// Throws TypeError "<what>: expected a GPUArray, got <type>" for anything else.
const Array& require_array(PyObject* object, const char* what);

// A new GPUArray. `base` (borrowed) is what a view keeps alive; NumPy's rule: the base's base if it
// has one.
Ref new_array(Array array, PyObject* base = nullptr);

// A result of an operation on `self`: keeps it alive when it is a view of it.
Ref new_view(Array array, PyObject* self);

// A GPUArray without memory, to which an array of `ndim` dimensions may be assigned, and of no
// more.
Ref new_array_later(int ndim);

// Whether it is a GPUArray or an ndarray of no dimensions, which may stand for a number.
bool is_0d_array(PyObject* object);

// The only element of an array of size 1, after waiting for pending work on it.
Scalar host_element(const Array& array);

// Whether work over `elements` on `device` is long enough, and done on return, to release the GIL
// for it.
inline bool runs_long(Device device, int64_t elements) {
  return device.is_cpu() && elements > 32 * 1024;
}

}  // namespace gpuarray::py
