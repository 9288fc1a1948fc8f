// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

// Declares what module.cpp takes from this room.
namespace gpuarray::py {

// Imports the exceptions of gpuarray.errors, which set_python_error() raises (errors.cpp).
void import_errors();

// Gives the layers below the functions that find the Python line of a call (call_site.cpp).
void set_up_call_sites();

}  // namespace gpuarray::py
