// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/layout.hpp"
#include "py/array/parts.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"

namespace gpuarray::py {

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
  view.unset_value();  // as in NumPy, whose scalars give read-only ndarrays here
  if (checked_status(PyObject_IsTrue(may_write)) == 0) view.set_writable(false);
  return new_array(view, object);
}

}  // namespace

MethodRows strided_function_rows() {
  static const PyMethodDef rows[] = {
      {"_as_strided", method<as_strided>, METH_FASTCALL | METH_KEYWORDS,
       R"(_as_strided(a, shape, strides, offset, writeable, /)
--

A view of the memory of `a` with this shape, strides and offset in bytes. ValueError unless it
lies in that memory.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
