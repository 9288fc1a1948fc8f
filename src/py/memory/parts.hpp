// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/rows.hpp"

// Declares what module.cpp and the GPUArray type take from this room.
namespace gpuarray::py {

MethodRows memory_function_rows();        // memory_functions.cpp: resources, limits
MethodRows memory_kind_function_rows();   // memory_kind_functions.cpp
MethodRows memory_watch_function_rows();  // memory_watch_functions.cpp
MethodRows sharing_function_rows();       // sharing_functions.cpp: for gpuarray/_runtime/sharing.py

// Methods of GPUArray (memory_kind_functions.cpp): prefetch, advise.
MethodRows memory_method_rows();

// Creates the MemoryResource type and adds it to the module.
void add_memory_type(PyObject* module);

// Makes errors in frees RuntimeWarnings; errors there cannot be raised (memory_functions.cpp).
void set_up_memory();

}  // namespace gpuarray::py
