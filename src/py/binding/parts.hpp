// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

// What the module takes from this room.
namespace gpuarray::py {

// Imports gpuarray.errors and keeps its exceptions (errors.cpp).
void import_errors();

// Lets the layers below say which line of Python called them (call_site.cpp).
void set_up_call_sites();

}  // namespace gpuarray::py
