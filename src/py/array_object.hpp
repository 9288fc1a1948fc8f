// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>

#include "array/array.hpp"
#include "py/ref.hpp"

namespace gpuarray::py {

struct ArrayObject {
  PyObject_HEAD PyObject* weaklist;
  PyObject*
      base;  // the GPUArray whose memory this views, or the object that lent it; null if it owns it
  Array array;
};

// The type objects live for the process; set when the module is executed.
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

// The only element of an array of size 1, after waiting for pending work on it.
Scalar host_element(const Array& array);

// Python functions that streams still have to call. Until they have run a launch may wait for one,
// which needs the GIL.
extern std::atomic<int> pending_host_functions;

// Whether work over `elements` on `device` is long enough, and done on return, to release the GIL
// for it; or may wait for a host function.
inline bool runs_long(Device device, int64_t elements) {
  if (device.is_cpu()) return elements > 32 * 1024;
  return pending_host_functions.load(std::memory_order_relaxed) > 0;
}

}  // namespace gpuarray::py
