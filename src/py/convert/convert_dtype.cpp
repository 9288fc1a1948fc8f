// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/values.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/numpy.hpp"

namespace gpuarray::py {

DType to_dtype(PyObject* object) {
  // NumPy knows the names of ml_dtypes only once that has been imported.
  if (PyUnicode_Check(object))
    for (int index = 0; index < kDTypeCount; ++index)
      if (!kDTypes[index].is_numpys() &&
          PyUnicode_CompareWithASCIIString(object, kDTypes[index].name) == 0)
        return static_cast<DType>(index);
  if (PyLong_Check(object))
    throw TypeError("expected a dtype, got the int " +
                    to_text(checked(PyObject_Str(object)).get(), "dtype") +
                    "; a shape of several axes is a tuple, as in zeros((3, 4))");
  return dtype_from_numpy(object);
}

std::optional<DType> to_optional_dtype(PyObject* object) {
  if (!is_given(object)) return std::nullopt;
  return to_dtype(object);
}

Ref from_dtype(DType dtype) { return numpy_dtype(dtype); }

}  // namespace gpuarray::py
