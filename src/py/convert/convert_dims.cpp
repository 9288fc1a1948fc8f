// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/layout.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/integers.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/numpy.hpp"

namespace gpuarray::py {

namespace {

int64_t to_extent(PyObject* object) {
  require_integer(object, "shape");
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
  // Every array type has __index__, but it works only for arrays without dimensions.
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

int64_t to_stride(const char* what, int64_t nbytes, int itemsize) {
  if (nbytes % itemsize == 0) return nbytes / itemsize;
  throw ValueError(std::string(what) + ": stride " + std::to_string(nbytes) +
                   " is not a multiple of the itemsize " + std::to_string(itemsize));
}

Strides to_strides(const char* what, PyObject* object, int ndim, int itemsize) {
  Ref bytes = checked(PySequence_Tuple(object));
  Strides strides;
  if (PyTuple_Size(bytes.get()) != ndim)
    throw ValueError(std::string(what) + ": strides has " +
                     std::to_string(PyTuple_Size(bytes.get())) + " entries, expected " +
                     std::to_string(ndim));
  for (int axis = 0; axis < ndim; ++axis)
    strides.push_back(to_stride(what, to_int64(PyTuple_GetItem(bytes.get(), axis)), itemsize));
  return strides;
}

void require_inside(const std::string& what, const Shape& shape, const Strides& strides,
                    int itemsize, int64_t offset, int64_t nbytes) {
  // Strides may be of any size, so the sum is made in floating point, where it does not wrap
  // around.
  double reach = 0;
  for (int axis = 0; axis < shape.size(); ++axis)
    reach += std::abs(double(shape[axis] - 1) * double(strides[axis]) * itemsize);
  const Extent extent = byte_extent(shape, strides, itemsize);
  const bool inside = (reach <= double(nbytes) || element_count(shape) == 0) &&
                      offset % itemsize == 0 && offset >= 0 && offset + extent.begin >= 0 &&
                      offset <= nbytes - extent.end;
  if (!inside)
    throw ValueError(what + ": the array at byte " + std::to_string(offset) +
                     " does not lie in its memory of " + std::to_string(nbytes) + " bytes");
}

Ref from_dims(const Dims& dims) {
  Ref tuple = checked(PyTuple_New(dims.size()));
  for (int axis = 0; axis < dims.size(); ++axis)
    PyTuple_SetItem(tuple.get(), axis, py_int(dims[axis]).release());
  return tuple;
}

std::vector<int> to_axes(PyObject* object, int ndim) {
  std::vector<int> axes;
  if (!is_given(object)) {
    for (int axis = 0; axis < ndim; ++axis) axes.push_back(axis);
    return axes;
  }
  if (!PyTuple_Check(object)) {
    int64_t axis = to_integer(object, "axis");
    if (ndim == 0 && (axis == 0 || axis == -1)) return {};  // as in NumPy
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

std::optional<int> to_axis(PyObject* object, int ndim) {
  if (!is_given(object)) return std::nullopt;
  require_integer(object, "axis");
  const std::vector<int> axes = to_axes(object, ndim);
  return axes.empty() ? std::nullopt : std::optional(axes[0]);
}

}  // namespace gpuarray::py
