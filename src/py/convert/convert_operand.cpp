// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/error.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/numpy.hpp"

namespace gpuarray::py {

namespace {

// Returns a weak scalar of a Python int of any size. Throws OverflowError if not even float64 can
// hold it.
Scalar from_long(PyObject* object) {
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (value == -1 && PyErr_Occurred()) throw PythonError();
  if (overflow == 0) return Scalar::weak_int(value);
  unsigned long long large = PyLong_AsUnsignedLongLong(object);
  if (large != static_cast<unsigned long long>(-1) || !PyErr_Occurred())
    return Scalar::weak_uint(large);
  PyErr_Clear();
  double nearest = PyLong_AsDouble(object);
  if (nearest == -1 && PyErr_Occurred()) throw PythonError();
  return Scalar::weak_oversized_int(nearest);
}

std::optional<Scalar> python_scalar(PyObject* object) {
  if (PyBool_Check(object)) return Scalar::of(object == Py_True);
  if (PyLong_Check(object)) return from_long(object);
  if (PyFloat_Check(object)) return Scalar::weak_float(PyFloat_AsDouble(object));
  if (PyComplex_Check(object))
    return Scalar::weak_complex({PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object)});
  return std::nullopt;
}

}  // namespace

std::optional<Operand> as_operand(PyObject* object) {
  if (is_array(object)) return as_array(object);
  if (PyFloat_CheckExact(object)) return Scalar::weak_float(PyFloat_AsDouble(object));
  if (PyLong_CheckExact(object)) return from_long(object);
  // NumPy comes before Python: numpy.float64 is a float and numpy.complex128 a complex, but both
  // have a dtype.
  if (is_numpy_scalar(object) || is_numpy_0d(object)) return scalar_from_numpy(object);
  if (std::optional<Scalar> scalar = python_scalar(object)) return *scalar;
  return std::nullopt;
}

}  // namespace gpuarray::py
