// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/array/array_methods.hpp"
#include "py/array/parts.hpp"
#include "py/convert/delegate.hpp"

// NumPy's functions on GPUArrays; the tables of what answers to what are in
// gpuarray/_protocols/array_methods.py.
namespace gpuarray::py {

MethodRows numpy_protocol_rows() {
  static const PyMethodDef rows[] = {
      {"__array_ufunc__", method<delegate<"__array_ufunc__">>, METH_VARARGS | METH_KEYWORDS,
       "__array_ufunc__($self, ufunc, method, /, *inputs, **kwargs)\n--\n\n"
       "NumPy's ufuncs on GPUArrays. TypeError for ndarray operands: nothing is copied silently."},
      {"__array_function__", method<delegate<"__array_function__">>, METH_VARARGS | METH_KEYWORDS,
       "__array_function__($self, func, types, args, kwargs, /)\n--\n\n"
       "NumPy's functions on GPUArrays, where gpuarray has one of the same name."},
  };
  return rows;
}

}  // namespace gpuarray::py
