// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>

#include "core/dims.hpp"
#include "core/dtype.hpp"
#include "core/host_bytes.hpp"
#include "core/scalar.hpp"
#include "py/binding/ref.hpp"

// What the binding needs of NumPy's C API. Only numpy.cpp includes its headers. Every function here
// may throw PythonError.
namespace gpuarray::py {

// Imports NumPy's C API; called once, when the module is executed.
void import_numpy();

bool is_ndarray(PyObject* object);
// Returns whether it is numpy._NoValue, NumPy's default for an argument that is not given.
bool is_no_value(PyObject* object);
bool is_numpy_scalar(PyObject* object);
// Returns whether it is a scalar of NumPy's with a dtype that is supported.
bool is_numpy_number(PyObject* object);
// Returns whether it is an ndarray without dimensions.
bool is_numpy_0d(PyObject* object);

// Returns whether it is a scalar or 0-d ndarray of a structured dtype or of raw bytes.
bool is_numpy_struct(PyObject* object);

// Returns the dtype of anything that numpy.dtype takes. Throws TypeError, which names a dtype that
// is not supported.
DType dtype_from_numpy(PyObject* object);
// Returns the NumPy dtype object, cached. Throws TypeError for bfloat16 if ml_dtypes is not
// installed.
Ref numpy_dtype(DType dtype);

// Returns the element of a NumPy scalar or 0-d ndarray with its dtype. Throws TypeError for a dtype
// that is not supported.
Scalar scalar_from_numpy(PyObject* object);

// The memory and layout of an ndarray, which must outlive it.
struct HostArray {
  void* data;
  DType dtype;
  Shape shape;
  Strides strides;  // bytes, may be 0 or negative
  bool writable;
  bool aligned;
  bool c_contiguous;
  bool f_contiguous;

  HostBytes bytes() const { return {data, shape, strides, itemsize(dtype)}; }
};
// Describes an ndarray. Throws TypeError for a dtype that is not supported and ValueError for more
// than kMaxDims dimensions.
HostArray host_array(PyObject* ndarray);
// Returns whether an ndarray is Fortran-contiguous and not C-contiguous.
bool is_fortran(PyObject* ndarray);

// Returns the object whose memory the ndarray is over, borrowed; null if it has its own.
PyObject* base_of(PyObject* ndarray);

// Returns a new ndarray whose elements are not set; `order` is 'C' or 'F'. A large one takes its
// memory from the pool of the cpu device.
Ref new_ndarray(const Shape& shape, DType dtype, char order = 'C');

// Returns an ndarray over contiguous memory that `owner` (borrowed) keeps alive; the ndarray holds
// a reference to it.
Ref new_ndarray_over(void* data, const Shape& shape, DType dtype, char order, PyObject* owner);

// Returns an ndarray over memory with any strides, in elements. Its base is `owner`, which keeps
// the memory alive.
Ref ndarray_over(void* data, const Shape& shape, const Strides& strides, DType dtype, bool writable,
                 Ref owner);

// Converts anything that numpy.asarray takes to an ndarray of any layout; an ndarray is returned as
// it is if no `dtype` is given. `dtype` converts as NumPy's assignment does.
Ref as_host_array(PyObject* object, std::optional<DType> dtype = std::nullopt);

}  // namespace gpuarray::py
