// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "array/array.hpp"
#include "py/binding/ref.hpp"

// Ndarrays over the memory of buffers of the cpu device, for NumPy's functions. Who sees NumPy's
// frames (a debugger, a profile hook, a traceback) may keep such an ndarray for any time.
namespace gpuarray::py {

// Makes the type of their bases. Called once, when the module is executed.
void set_up_lent_ndarrays(PyObject* module);

// Returns an ndarray over memory of `buffer`, which a shared_ptr owns; strides are in elements. The
// base of the ndarray lends the buffer (Buffer::lend) until no ndarray views this memory any more.
// Throws PythonError, and what Buffer::lend() throws.
Ref lent_ndarray(Buffer& buffer, void* data, const Shape& shape, const Strides& strides,
                 DType dtype, bool writable);
// Returns an ndarray over an array, whose deferred content is made first.
Ref lent_ndarray(const Array& array);

}  // namespace gpuarray::py
