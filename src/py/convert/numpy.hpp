// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>

#include "core/dims.hpp"
#include "core/dtype.hpp"
#include "core/host_bytes.hpp"
#include "core/scalar.hpp"
#include "py/binding/ref.hpp"

// NumPy's C API, which only numpy.cpp includes. All throw.
namespace gpuarray::py {

// Once, when the module is executed.
void import_numpy();

bool is_ndarray(PyObject* object);
// numpy._NoValue, which stands for an argument that is not given.
bool is_no_value(PyObject* object);
bool is_numpy_scalar(PyObject* object);
// An ndarray of no dimensions.
bool is_numpy_0d(PyObject* object);

// A scalar or 0-d ndarray of a structured dtype, or of raw bytes.
bool is_numpy_struct(PyObject* object);

// The dtype of anything that numpy.dtype takes. TypeError naming a dtype that is not supported.
DType dtype_from_numpy(PyObject* object);
// The NumPy dtype object, cached. TypeError for bfloat16 without ml_dtypes.
Ref numpy_dtype(DType dtype);

// The element of a NumPy scalar or 0-d ndarray, typed.
Scalar scalar_from_numpy(PyObject* object);

// An ndarray as it lies in memory, borrowed from the object.
struct HostArray {
  void* data;
  DType dtype;
  Shape shape;
  Strides strides;  // bytes
  bool writable;
  bool aligned;
  bool c_contiguous;
  bool f_contiguous;

  HostBytes bytes() const { return {data, shape, strides, itemsize(dtype)}; }
};
// Throws TypeError for a dtype that is not supported, ValueError for more than 64 dimensions.
HostArray host_array(PyObject* ndarray);
// Whether an ndarray is Fortran-contiguous and not C-contiguous.
bool is_fortran(PyObject* ndarray);

// Uninitialised; `order` is 'C' or 'F'. NumPy asks the system for huge pages when it is large.
Ref new_ndarray(const Shape& shape, DType dtype, char order = 'C');

// An ndarray over contiguous memory that `owner` (borrowed) keeps alive.
Ref new_ndarray_over(void* data, const Shape& shape, DType dtype, char order, PyObject* owner);

// The same over memory of any strides, in elements, which the caller keeps alive.
Ref ndarray_over(void* data, const Shape& shape, const Strides& strides, DType dtype);

// An ndarray of any layout out of anything that numpy.asarray takes; the object itself if it is
// one. `dtype` converts as NumPy's assignment does; without it any dtype passes.
Ref as_host_array(PyObject* object, std::optional<DType> dtype = std::nullopt);

}  // namespace gpuarray::py
