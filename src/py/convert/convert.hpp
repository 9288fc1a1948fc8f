// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "array/array.hpp"
#include "py/binding/ref.hpp"
#include "py/binding/values.hpp"

// Python objects as the values of the layers below, and back. All throw what they document, and
// PythonError for what Python raises.
namespace gpuarray::py {

// Anything that numpy.dtype takes, and "bfloat16". TypeError naming a dtype that is not supported.
DType to_dtype(PyObject* object);
// As `to_dtype`; nullopt for None or null.
std::optional<DType> to_optional_dtype(PyObject* object);
// The NumPy dtype object (cached); bfloat16 is ml_dtypes', and without it a TypeError says what to
// install.
Ref from_dtype(DType dtype);

// An int or a sequence of ints. ValueError for negative extents, more than kMaxDims of them, or an
// overflowing product.
Shape to_shape(PyObject* object);
Ref from_dims(const Dims& dims);  // a tuple of ints

// A Device, "cpu", "cuda", "cuda:N"; None or null is the default device (with the one warning of a
// fallback).
Device to_device(PyObject* object);
Ref from_device(Device device);  // the cached Device object

// None, or an int, or a tuple of ints: normalized axes without repeats, in order. None means all.
std::vector<int> to_axes(PyObject* object, int ndim);

// 'C', 'F', 'A' or 'K' out of `allowed`; `fallback` for null or None. ValueError for another text.
char to_order(PyObject* object, const char* allowed, char fallback);

// The copy= of functions and protocols: nullopt for null and None, which leave the choice open.
// TypeError for anything else that is no bool, of Python or of NumPy.
std::optional<bool> to_copy(PyObject* object, const char* what);

// The strides in bytes of a sequence of `ndim` ints, in elements. ValueError naming `what` for
// another length and for a stride that is no multiple of the itemsize.
Strides to_strides(const std::string& what, PyObject* object, int ndim, int itemsize);

// ValueError naming `what` unless all elements lie in a memory of `nbytes`, the first one `offset`
// bytes from its start.
void require_inside(const std::string& what, const Shape& shape, const Strides& strides,
                    int itemsize, int64_t offset, int64_t nbytes);

// A GPUArray (borrowed from the object), a Python scalar (weak) or a NumPy scalar or 0-d ndarray
// (typed); nullopt for anything else. OverflowError for ints beyond uint64.
std::optional<Operand> as_operand(PyObject* object);

// The Python scalar of a host element: bool, int, float or complex.
Ref from_scalar(const Scalar& scalar);

}  // namespace gpuarray::py
