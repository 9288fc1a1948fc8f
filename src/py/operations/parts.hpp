// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/rows.hpp"

// Declares what module.cpp and the GPUArray type take from this room.
namespace gpuarray::py {

MethodRows elementwise_function_rows();   // functions.cpp: a row of ops.def each
MethodRows reduction_function_rows();     // reductions.cpp
MethodRows scan_function_rows();          // scans.cpp
MethodRows matmul_function_rows();        // matmul.cpp
MethodRows sort_function_rows();          // sorts.cpp: for gpuarray/_sorting/sorting.py
MethodRows distribution_function_rows();  // distribution.cpp: for gpuarray/_random/distributions.py
MethodRows fft_function_rows();           // fft.cpp: for gpuarray/_fourier/transforms.py
MethodRows small_matrix_function_rows();  // small_matrices.cpp: for gpuarray/_linalg
MethodRows solver_function_rows();        // solvers.cpp: for gpuarray/_linalg
MethodRows indexing_function_rows();  // indexing_functions.cpp: for gpuarray/_indexing/indexing.py
MethodRows creation_rows();           // creation.cpp
MethodRows random_function_rows();    // random.cpp: for gpuarray/_random/
MethodRows table_function_rows();     // tables.cpp: op_table, reduction_table

// Methods of GPUArray.
MethodRows reduction_method_rows();  // reductions.cpp: sum, prod, max, min, any, all, argmax ...
MethodRows scan_method_rows();       // scans.cpp: cumsum, cumprod

// Adds gpuarray.ufunc to the module, and makes those functions of it that are NumPy's ufuncs of it.
void add_ufunc_type(PyObject* module);  // ufunc_type.cpp

// Makes the cpu device multiply matrices by NumPy (matmul.cpp).
void set_up_matmul();
// Lets the cpu device sort by NumPy (sorts.cpp).
void set_up_sorts();

}  // namespace gpuarray::py
