// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <span>
#include <vector>

#include "array/advanced_index.hpp"
#include "py/binding/ref.hpp"

namespace gpuarray::py {

// Converts a key that is a basic index: an integer, a slice, None or an ellipsis. Returns false for
// others, which may be arrays. Throws IndexError for an integer beyond 64 bits.
bool to_basic_index(PyObject* key, Index& index);

// Converts all entries of a key; sequences are copied to the device of `array`. Throws IndexError
// for what is not an index and DeviceError for an array of another device.
Key to_key(PyObject* key, const Array& array);

// Converts an index array: a GPUArray of integers on the device of `array`, or an ndarray or
// sequence of integers, which is copied there. If `bools`, arrays of bools are allowed too. Throws
// IndexError and DeviceError as to_key does.
Array to_index_array(PyObject* object, const Array& array, bool bools);

// Implement a[key], which copies, and a[key] = value for keys that are not basic indices. `first`
// are the entries of a tuple before the first one that is not a basic index. Both are queued on the
// current stream; a mask makes them wait for the device, whose count of elements they need.
Ref get_advanced(PyObject* self, PyObject* key, std::span<const Index> first);
void set_advanced(PyObject* self, PyObject* key, std::span<const Index> first, PyObject* value);

}  // namespace gpuarray::py
