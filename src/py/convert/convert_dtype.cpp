// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/convert/convert.hpp"
#include "py/convert/numpy.hpp"

namespace gpuarray::py {

DType to_dtype(PyObject* object) {
  // NumPy knows this name only once ml_dtypes has been imported.
  if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, "bfloat16") == 0)
    return DType::bfloat16;
  return dtype_from_numpy(object);
}

std::optional<DType> to_optional_dtype(PyObject* object) {
  if (object == nullptr || object == Py_None) return std::nullopt;
  return to_dtype(object);
}

Ref from_dtype(DType dtype) { return numpy_dtype(dtype); }

}  // namespace gpuarray::py
