// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <span>

#include "core/launch.hpp"
#include "py/binding/ref.hpp"

// What the module and the GPUArray type are put together from. Rows live for the process and have
// no closing row of nulls.
namespace gpuarray::py {

using MethodRows = std::span<const PyMethodDef>;
using GetSetRows = std::span<const PyGetSetDef>;
using SlotRows = std::span<const PyType_Slot>;

// Slots of GPUArray.
SlotRows number_slots();  // array_number.cpp: operators and conversions to Python numbers
SlotRows index_slots();   // array_index.cpp: mapping and sequence slots, iteration
SlotRows buffer_slots();  // buffer_protocol.cpp

// Attributes of GPUArray.
GetSetRows attribute_rows();    // array_attributes.cpp
GetSetRows interchange_rows();  // cuda_array_interface.cpp: __cuda_array_interface__

// Methods of GPUArray.
MethodRows number_method_rows();  // array_number.cpp: __complex__
MethodRows
reduction_method_rows();           // reductions.cpp: sum, prod, max, min, any, all, argmax, argmin
MethodRows scan_method_rows();     // scans.cpp: cumsum, cumprod
MethodRows array_method_rows();    // array_methods.cpp
MethodRows numpy_protocol_rows();  // numpy_protocol.cpp: __array_ufunc__, __array_function__
MethodRows dlpack_method_rows();   // dlpack_export.cpp: __dlpack__, __dlpack_device__

// The capsule that GPUArray has as __dlpack_c_exchange_api__ (dlpack_table.cpp).
Ref exchange_table();

// Functions of the module.
MethodRows elementwise_function_rows();  // functions.cpp: a row of ops.def each
MethodRows reduction_function_rows();    // reductions.cpp
MethodRows scan_function_rows();         // scans.cpp
MethodRows matmul_function_rows();       // matmul.cpp
MethodRows sort_function_rows();         // sorts.cpp: for gpuarray/_sorting/sorting.py
MethodRows indexing_function_rows();  // indexing_functions.cpp: for gpuarray/_indexing/indexing.py
MethodRows
runtime_function_rows();            // runtime_functions.cpp: devices, synchronize, memory_stats ...
MethodRows memory_function_rows();  // memory_functions.cpp: resources, limits
MethodRows memory_kind_function_rows();   // memory_kind_functions.cpp
MethodRows sharing_function_rows();       // sharing_functions.cpp: for gpuarray/_runtime/sharing.py
MethodRows memory_watch_function_rows();  // memory_watch_functions.cpp
MethodRows queued_transfer_function_rows();  // queued_transfer.cpp
MethodRows cache_function_rows();            // cache_functions.cpp
MethodRows launch_function_rows();           // launch_functions.cpp: set_launch_blocking ...
MethodRows compilation_function_rows();      // compilation.cpp
MethodRows compile_function_rows();     // compile_functions.cpp: for gpuarray/_kernels/module.py
MethodRows strided_function_rows();     // strided.cpp
MethodRows access_function_rows();      // opened_arrays.cpp
MethodRows library_function_rows();     // library_type.cpp: demangle_
MethodRows driver_function_rows();      // driver_functions.cpp: context_, device_handle_
MethodRows table_function_rows();       // tables.cpp: op_table, reduction_table
MethodRows creation_rows();             // creation.cpp
MethodRows dlpack_function_rows();      // dlpack_import.cpp: from_dlpack
MethodRows cuda_array_function_rows();  // cuda_array_import.cpp: from_cuda_array_interface

// Types; each makes its type once and adds it to the module.
void add_array_type(PyObject* module);
void add_flags_type(PyObject* module);
void add_device_type(PyObject* module);
void add_stream_type(PyObject* module);
void add_event_type(PyObject* module);
void add_graph_type(PyObject* module);
void add_memory_type(PyObject* module);
void add_program_type(PyObject* module);     // expression_program.cpp
void add_fold_type(PyObject* module);        // fold_type.cpp: of reductions and scans
void add_dispatcher_type(PyObject* module);  // expression_type.cpp
void add_library_type(PyObject* module);
void add_kernel_type(PyObject* module);
void add_launcher_type(PyObject* module);

// gpuarray.h for other extensions (c_api.cpp).
void add_c_api(PyObject* module);

// Lets the cpu device multiply by NumPy (matmul.cpp).
void set_up_matmul();
// Lets launches find the Python line they come from (launch_functions.cpp).
void set_up_launch_places();
// The fields of gpuarray.Launch.
Ref launch_tuple(const Launch& launch);
// Makes errors in frees RuntimeWarnings (memory_functions.cpp).
void set_up_memory();

// Imports gpuarray.errors and keeps its exceptions (errors.cpp).
void import_errors();

// Lets the layers below say which line of Python called them (call_site.cpp).
void set_up_call_sites();

// Lets the run-time compiler be found, and makes its first use for want of device code a
// RuntimeWarning (compilation.cpp).
void set_up_compilation();

}  // namespace gpuarray::py
