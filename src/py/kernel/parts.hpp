// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/rows.hpp"

// Declares what module.cpp takes from this room.
namespace gpuarray::py {

MethodRows cache_function_rows();        // cache_functions.cpp
MethodRows compilation_function_rows();  // compilation.cpp
MethodRows compile_function_rows();      // compile_functions.cpp: for gpuarray/_kernels/module.py
MethodRows library_function_rows();      // library_type.cpp: _demangle

// Each creates its type and adds it to the module.
void add_library_type(PyObject* module);
void add_kernel_type(PyObject* module);
void add_launcher_type(PyObject* module);

// Tells the search for the run-time compiler where wheels are installed, and makes the first
// compilation for want of device code a RuntimeWarning (compilation.cpp).
void set_up_compilation();

}  // namespace gpuarray::py
