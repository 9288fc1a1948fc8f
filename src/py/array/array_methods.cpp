// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/array/array_methods.hpp"

#include <utility>
#include <vector>

#include "core/error.hpp"
#include "py/array/parts.hpp"
#include "py/binding/integers.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/numpy.hpp"
#include "py/memory/parts.hpp"

namespace gpuarray::py {

Dims to_dims(const char* what, PyObject* const* args, Py_ssize_t nargs) {
  Ref sequence;
  if (nargs == 1 && !PyLong_Check(args[0]) && !is_numpy_scalar(args[0]) && !is_0d_array(args[0]) &&
      PySequence_Check(args[0])) {
    sequence = checked(PySequence_Tuple(args[0]));
    nargs = PyTuple_Size(sequence.get());
  }
  if (nargs > kMaxDims)
    throw ValueError(std::string(what) + ": maximum supported dimension for an array is " +
                     std::to_string(kMaxDims) + ", found " + std::to_string(nargs));
  Dims dims;
  for (Py_ssize_t i = 0; i < nargs; ++i)
    dims.push_back(to_integer(sequence ? PyTuple_GetItem(sequence.get(), i) : args[i], what));
  return dims;
}

MethodRows array_method_rows() {
  static const std::vector<PyMethodDef> rows = [] {
    std::vector<PyMethodDef> all;
    append(all, transfer_method_rows());
    append(all, copy_method_rows());
    append(all, shape_method_rows());
    append(all, python_method_rows());
    append(all, numpy_method_rows());
    append(all, memory_method_rows());
    return all;
  }();
  return rows;
}

}  // namespace gpuarray::py
