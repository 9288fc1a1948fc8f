// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/ref.hpp"

// Declares what module.cpp takes from this room.
namespace gpuarray::py {

// Each creates its type and adds it to the module.
void add_program_type(PyObject* module);     // expression_program.cpp
void add_fold_type(PyObject* module);        // fold_type.cpp: of reductions and scans
void add_dispatcher_type(PyObject* module);  // dispatcher_type.cpp

}  // namespace gpuarray::py
