// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "array/array.hpp"
#include "py/binding/ref.hpp"

// Python objects to the values of the layers below, and back. All throw.
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

// 'C', 'F', 'A' or 'K' out of `allowed`; `fallback` for null or None.
char to_order(PyObject* object, const char* allowed, char fallback);

// A GPUArray (borrowed from the object), a Python scalar (weak) or a NumPy scalar or 0-d ndarray
// (typed); nullopt for anything else. OverflowError for ints beyond uint64.
std::optional<Operand> as_operand(PyObject* object);

// The Python scalar of a host element: bool, int, float or complex.
Ref from_scalar(const Scalar& scalar);

Ref py_string(const std::string& text);
Ref py_int(int64_t value);
Ref py_uint(uint64_t value);
int64_t to_int64(PyObject* object);  // through __index__
// The UTF-8 text of a str; TypeError "<what>: expected a str, got <type>" for anything else.
std::string to_text(PyObject* object, const char* what);
// "" for null.
std::string text_or_empty(PyObject* object, const char* what);
std::string type_name(PyObject* object);  // "ndarray"
// Attribute `name` of `module`; looked up at every call, for rare paths.
Ref import_attribute(const char* module, const char* name);

}  // namespace gpuarray::py
