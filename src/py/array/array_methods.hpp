// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "array/array.hpp"
#include "py/binding/ref.hpp"
#include "py/binding/rows.hpp"

// The groups of methods that array_methods.cpp puts together, and functions that other rooms share
// with them.
namespace gpuarray::py {

MethodRows transfer_method_rows();  // array_transfer.cpp
MethodRows copy_method_rows();      // array_copies.cpp
MethodRows shape_method_rows();     // array_shape.cpp
MethodRows python_method_rows();    // array_python.cpp
MethodRows numpy_method_rows();     // array_numpy_methods.cpp

// Copies host data of the same shape to the array, on its current stream; the dtype is cast with
// the rule 'same_kind'. Returns the ndarray that is read. If not `blocking` and the ndarray is
// page-locked, it is read later and must be kept alive and unchanged. Throws TypeError, ValueError,
// and CaptureError while a graph is captured.
Ref set_elements(const Array& array, PyObject* source, bool blocking);
// Copies the elements to an ndarray, after pending work on the array: to `out`, unless it is null
// or None, else to a new one in `order` ('C', 'F' or 'A'). If not `blocking` and the ndarray is
// page-locked, it is filled later and must be kept alive. Throws TypeError or ValueError for an
// `out` that does not fit, and CaptureError while a graph is captured.
Ref get_ndarray(const Array& array, PyObject* out, char order, bool blocking);

// Converts ints given one by one or as one sequence, at most kMaxDims of them. Throws TypeError and
// ValueError, which name `what`.
Dims to_dims(const char* what, PyObject* const* args, Py_ssize_t nargs);

}  // namespace gpuarray::py
