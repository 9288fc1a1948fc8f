// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/rows.hpp"

// Declares what module.cpp takes from this room.
namespace gpuarray::py {

MethodRows
runtime_function_rows();            // runtime_functions.cpp: devices, synchronize, memory_stats ...
MethodRows launch_function_rows();  // launch_functions.cpp: set_launch_blocking ...
MethodRows access_function_rows();  // opened_arrays.cpp
MethodRows driver_function_rows();  // driver_functions.cpp: _context, _device_handle ...
MethodRows host_function_rows();    // host_function.cpp: _end_threads

// Each creates its type and adds it to the module.
void add_device_type(PyObject* module);
void add_stream_type(PyObject* module);
void add_event_type(PyObject* module);
void add_graph_type(PyObject* module);

}  // namespace gpuarray::py
