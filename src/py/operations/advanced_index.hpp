// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <vector>

#include "array/advanced_index.hpp"
#include "py/binding/ref.hpp"

namespace gpuarray::py {

// The basic entry that a key is or has; false for what may be an array. IndexError for an integer
// that is too large.
bool to_basic_index(PyObject* key, Index& index);

// A key of which some entry is no basic one. IndexError for what is no index, DeviceError for an
// array of another device than that of `array`.
std::vector<KeyEntry> to_key(PyObject* key, const Array& array);

// A GPUArray of integers on the device of `array`, an ndarray or a sequence of them, which is
// copied there. With `bools` these pass too.
Array to_index_array(PyObject* object, const Array& array, bool bools);

// a[key] and a[key] = value.
Ref get_advanced(PyObject* self, PyObject* key);
void set_advanced(PyObject* self, PyObject* key, PyObject* value);

}  // namespace gpuarray::py
