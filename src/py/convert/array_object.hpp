// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "array/array.hpp"
#include "core/kept_blocks.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/ref.hpp"
#include "py/binding/slot.hpp"

namespace gpuarray::py {

// The C structure of a GPUArray object.
struct ArrayObject {
  PyObject_HEAD PyObject* weaklist;
  // Owned: the GPUArray whose memory this one views, or the object that the memory was borrowed
  // from; null if the array owns its memory.
  PyObject* base;
  Array array;
};

// The GPUArray type, which lives for the process. Made when the module is executed
// (array_type.cpp).
extern PyTypeObject* array_type;

inline bool is_array(PyObject* object) {
  if (Py_TYPE(object) == array_type) return true;
  return on_result.load(std::memory_order_relaxed) != nullptr &&  // GPUArray has been derived from
         PyType_IsSubtype(Py_TYPE(object), array_type) != 0;
}
inline ArrayObject* array_object(PyObject* object) {
  return reinterpret_cast<ArrayObject*>(object);
}
inline const Array& as_array(PyObject* object) { return array_object(object)->array; }

// Returns the array of a GPUArray. Throws TypeError "<what>: expected a GPUArray, got <type>".
const Array& require_array(PyObject* object, const char* what);
// Returns the same for each item of a sequence.
KeptVector<Array> require_arrays(PyObject* sequence, const char* what);
// Returns the array, or null for null and None. Throws as require_array.
inline const Array* optional_array(PyObject* object, const char* what) {
  return is_given(object) ? &require_array(object, what) : nullptr;
}

// Returns a new GPUArray. `base` (borrowed) is the object that a view keeps alive. As in NumPy, a
// view of a view gets the base of that view.
Ref new_array(Array array, PyObject* base = nullptr);

// Returns a new GPUArray for the result of an operation on `self`, which it keeps alive if it
// shares its memory.
Ref new_view(Array array, PyObject* self);

// Returns a new GPUArray whose array is not set yet. Only an array of at most `ndim` dimensions may
// be assigned to it, since there is no room for more.
Ref new_unset_array(int ndim);

// Returns whether the object is a GPUArray or ndarray without dimensions, which may stand for a
// number.
bool is_0d_array(PyObject* object);

// Returns the element of an array of size 1. Blocks until pending work on the array is done;
// releases the GIL meanwhile. Throws CaptureError while the current stream is being captured.
Scalar host_element(const Array& array);

// Returns whether work on that many elements runs on the calling thread, on cpu, and long enough to
// release the GIL for it.
inline bool runs_long(Device device, int64_t elements) {
  return device.is_cpu() && elements > 32 * 1024;
}

}  // namespace gpuarray::py
