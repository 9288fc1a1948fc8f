// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/array/strided.hpp"

#include <cmath>

#include "core/error.hpp"
#include "core/layout.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/parts.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"

namespace gpuarray::py {

Strides to_strides(const std::string& what, PyObject* object, int ndim, int itemsize) {
  Ref bytes = checked(PySequence_Tuple(object));
  Strides strides;
  if (PyTuple_Size(bytes.get()) != ndim)
    throw ValueError(what + ": strides and shape differ in length");
  for (int axis = 0; axis < ndim; ++axis) {
    const int64_t stride = to_int64(PyTuple_GetItem(bytes.get(), axis));
    if (stride % itemsize != 0)
      throw ValueError(what + ": stride " + std::to_string(stride) +
                       " is not a multiple of the itemsize " + std::to_string(itemsize));
    strides.push_back(stride / itemsize);
  }
  return strides;
}

void require_inside(const std::string& what, const Shape& shape, const Strides& strides,
                    int itemsize, int64_t offset, int64_t nbytes) {
  // Strides may be of any size: their sum does not wrap around in floating point.
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

namespace {

constexpr Signature<5> kAsStrided{.function = "_as_strided",
                                  .names = {"a", "shape", "strides", "offset", "writeable"},
                                  .required = 5,
                                  .positional_only = 5};

Ref as_strided(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [object, extents, steps, start, may_write] = parse(kAsStrided, args, nargs, kwnames);
  const Array& array = require_array(object, "as_strided");
  const Shape shape = to_shape(extents);
  const Strides strides = to_strides("as_strided", steps, shape.size(), array.itemsize());
  const int64_t offset = to_int64(start);
  if (element_count(shape) > 0)
    require_inside("as_strided", shape, strides, array.itemsize(), array.offset() + offset,
                   array.buffer()->nbytes());
  Array view = array.view(shape, strides, offset);
  if (checked_status(PyObject_IsTrue(may_write)) == 0) view.set_writable(false);
  return new_array(view, object);
}

}  // namespace

MethodRows strided_function_rows() {
  static const PyMethodDef rows[] = {
      {"_as_strided", method<as_strided>, METH_FASTCALL | METH_KEYWORDS,
       "_as_strided(a, shape, strides, offset, writeable, /)\n--\n\n"
       "A view of the memory of `a` with this shape, strides and offset in bytes. ValueError\n"
       "unless it lies in that memory."},
  };
  return rows;
}

}  // namespace gpuarray::py
