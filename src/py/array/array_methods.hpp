// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "array/array.hpp"
#include "py/binding/ref.hpp"
#include "py/binding/rows.hpp"

// The groups of methods that array_methods.cpp puts together, and what other files take from them.
namespace gpuarray::py {

MethodRows transfer_method_rows();  // array_transfer.cpp
MethodRows copy_method_rows();      // array_copies.cpp
MethodRows shape_method_rows();     // array_shape.cpp
MethodRows python_method_rows();    // array_python.cpp
MethodRows numpy_method_rows();     // array_numpy_methods.cpp

// Host data of the array's shape into it; without `blocking`, page-locked memory is read later. The
// ndarray that is read.
Ref set_elements(const Array& array, PyObject* source, bool blocking);
// The elements as an ndarray: `out` if given, else a new one laid out in `order` ('C', 'F' or 'A').
Ref get_ndarray(const Array& array, PyObject* out, char order, bool blocking);

// Ints given one by one, or as one sequence; at most kMaxDims.
Dims to_dims(const char* what, PyObject* const* args, Py_ssize_t nargs);

}  // namespace gpuarray::py
