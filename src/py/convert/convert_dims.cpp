// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>

#include "core/error.hpp"
#include "core/layout.hpp"
#include "py/array/array_methods.hpp"
#include "py/binding/integers.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/numpy.hpp"
#include "py/exchange/interchange.hpp"

namespace gpuarray::py {

namespace {

int64_t to_extent(PyObject* object) {
  refuse_bool(object, "shape");
  Ref number = checked(PyNumber_Index(object));
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
  if (overflow != 0) throw ValueError("shape: an extent is beyond 2**63 - 1");
  if (value == -1 && PyErr_Occurred()) throw PythonError();
  return value;
}

}  // namespace

Shape to_shape(PyObject* object) {
  Shape shape;
  // Every array has __index__, of use where it has no dimensions.
  if (PyIndex_Check(object) && (!PySequence_Check(object) || is_0d_array(object))) {
    shape.push_back(to_extent(object));
  } else {
    if (PySequence_Check(object) == 0 && !has_attribute(object, "__iter__"))
      throw TypeError("shape: expected an int or a sequence of ints, got " + type_name(object));
    Ref items = checked(PySequence_Tuple(object));
    Py_ssize_t count = PyTuple_Size(items.get());
    if (count > kMaxDims)
      throw ValueError("shape: up to " + std::to_string(kMaxDims) +
                       " dimensions are supported, got " + std::to_string(count));
    for (Py_ssize_t axis = 0; axis < count; ++axis)
      shape.push_back(to_extent(PyTuple_GetItem(items.get(), axis)));
  }
  element_count(shape);
  return shape;
}

Ref from_dims(const Dims& dims) {
  Ref tuple = checked(PyTuple_New(dims.size()));
  for (int axis = 0; axis < dims.size(); ++axis)
    PyTuple_SetItem(tuple.get(), axis, py_int(dims[axis]).release());
  return tuple;
}

std::vector<int> to_axes(PyObject* object, int ndim) {
  std::vector<int> axes;
  if (object == nullptr || object == Py_None) {
    for (int axis = 0; axis < ndim; ++axis) axes.push_back(axis);
    return axes;
  }
  if (!PyTuple_Check(object)) {
    int64_t axis = to_integer(object, "axis");
    if (ndim == 0 && (axis == 0 || axis == -1)) return {};  // as NumPy
    return {normalize_axis(axis, ndim)};
  }
  for (Py_ssize_t index = 0; index < PyTuple_Size(object); ++index) {
    int axis = normalize_axis(to_integer(PyTuple_GetItem(object, index), "axis"), ndim);
    if (std::find(axes.begin(), axes.end(), axis) != axes.end())
      throw ValueError("duplicate value in 'axis': " + std::to_string(axis));
    axes.push_back(axis);
  }
  std::sort(axes.begin(), axes.end());
  return axes;
}

}  // namespace gpuarray::py
