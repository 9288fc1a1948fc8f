// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/array/array_methods.hpp"
#include "py/array/parts.hpp"
#include "py/convert/delegate.hpp"

// The protocols by which NumPy's functions accept GPUArrays. Which function stands for which is in
// gpuarray/_protocols/numpy_protocol.py.
namespace gpuarray::py {

MethodRows numpy_protocol_rows() {
  static const PyMethodDef rows[] = {
      {"__array_ufunc__", method<delegate<"__array_ufunc__">, Entry::joins>,
       METH_VARARGS | METH_KEYWORDS,
       R"(__array_ufunc__($self, ufunc, method, /, *inputs, **kwargs)
--

NumPy's ufuncs on GPUArrays. TypeError for ndarray operands: nothing is copied silently.)"},
      {"__array_function__", method<delegate<"__array_function__">, Entry::joins>,
       METH_VARARGS | METH_KEYWORDS,
       R"(__array_function__($self, func, types, args, kwargs, /)
--

NumPy's functions on GPUArrays, where gpuarray has one of the same name.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
