// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "array/array.hpp"
#include "py/binding/ref.hpp"
#include "py/binding/values.hpp"

// Conversions from Python objects to the values of the layers below, and back. Every function may
// throw PythonError for errors that Python raises, besides what it documents.
namespace gpuarray::py {

// Converts anything that numpy.dtype takes, and "bfloat16". Throws TypeError, which names a dtype
// that is not supported.
DType to_dtype(PyObject* object);
// Does the same; nullopt for None and null.
std::optional<DType> to_optional_dtype(PyObject* object);
// Returns the NumPy dtype object, cached. That of bfloat16 is ml_dtypes'; throws TypeError, which
// says what to install, if that is missing.
Ref from_dtype(DType dtype);

// Converts an int or a sequence of ints. Throws ValueError for negative extents, more than kMaxDims
// of them, or a number of elements beyond 64 bits.
Shape to_shape(PyObject* object);
Ref from_dims(const Dims& dims);  // a new tuple of ints

// Converts a Device, "cpu", "cuda" or "cuda:N". None and null mean the default device; the first
// time this is cpu for want of a CUDA device, a RuntimeWarning is issued. Throws TypeError or
// ValueError for other objects and DeviceError for a device that does not exist.
Device to_device(PyObject* object);
Ref from_device(Device device);  // the only Device object of the device

// Converts an axis or a tuple of axes to sorted axes from 0 on. None and null mean all axes. Throws
// AxisError for an axis out of range and ValueError for a repeated one.
std::vector<int> to_axes(PyObject* object, int ndim);
// Converts an axis; nullopt for None and null, and for the axis 0 or -1 that NumPy accepts for an
// array without dimensions. Throws AxisError, and TypeError for a tuple.
std::optional<int> to_axis(PyObject* object, int ndim);

// Converts an order, which must be among the letters of `allowed`; `fallback` for None and null.
// Throws ValueError for any other text.
char to_order(PyObject* object, const char* allowed, char fallback);

// Converts the copy= of functions and protocols. None and null, which leave the choice open, give
// nullopt. Throws TypeError for anything else but a bool of Python or NumPy.
std::optional<bool> to_copy(PyObject* object, const char* what);

// Converts a stride in bytes to elements. Throws ValueError, which names `what`, unless it is a
// multiple of the itemsize.
int64_t to_stride(const char* what, int64_t nbytes, int itemsize);
// Does so for a sequence of `ndim` strides. Throws ValueError for another length too.
Strides to_strides(const char* what, PyObject* object, int ndim, int itemsize);

// Throws ValueError, which names `what`, unless all elements lie within a memory of `nbytes` bytes,
// in which the first element is at byte `offset`. Strides are in elements.
void require_inside(const std::string& what, const Shape& shape, const Strides& strides,
                    int itemsize, int64_t offset, int64_t nbytes);

// Converts a GPUArray, which the operand borrows, a Python scalar, which is weak in type promotion,
// or a NumPy scalar or 0-d ndarray, which has a dtype. Returns nullopt for anything else. An int
// beyond 64 bits becomes an oversized scalar; Python raises OverflowError if not even float64 can
// hold it.
std::optional<Operand> as_operand(PyObject* object);

// Returns the Python scalar of an element: bool, int, float or complex.
Ref from_scalar(const Scalar& scalar);

}  // namespace gpuarray::py
