// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/rows.hpp"

// What the module takes from this room.
namespace gpuarray::py {

MethodRows
runtime_function_rows();            // runtime_functions.cpp: devices, synchronize, memory_stats ...
MethodRows launch_function_rows();  // launch_functions.cpp: set_launch_blocking ...
MethodRows access_function_rows();  // opened_arrays.cpp
MethodRows driver_function_rows();  // driver_functions.cpp: context_, device_handle_

// Each makes its type once and adds it to the module.
void add_device_type(PyObject* module);
void add_stream_type(PyObject* module);
void add_event_type(PyObject* module);
void add_graph_type(PyObject* module);

// Lets launches find the Python line they come from (launch_functions.cpp).
void set_up_launch_places();

}  // namespace gpuarray::py
