// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/rows.hpp"

// Declares what module.cpp and the GPUArray type take from this room.
namespace gpuarray::py {

MethodRows arrow_rows();                     // arrow.cpp: _arrow_array
MethodRows dlpack_function_rows();           // dlpack_import.cpp: from_dlpack
MethodRows cuda_array_function_rows();       // cuda_array_import.cpp: from_cuda_array_interface
MethodRows transfer_function_rows();         // host_transfer.cpp: to_device, asnumpy
MethodRows guard_function_rows();            // transfer_guard.cpp
MethodRows numpy_call_rows();                // numpy_call.cpp: _call_numpy
MethodRows queued_transfer_function_rows();  // queued_transfer.cpp

// Parts of GPUArray.
MethodRows dlpack_method_rows();  // dlpack_export.cpp: __dlpack__, __dlpack_device__
GetSetRows interchange_rows();    // cuda_array_interface.cpp: __cuda_array_interface__
SlotRows buffer_slots();          // buffer_protocol.cpp
// Gives GPUArray its __dlpack_c_exchange_api__ (dlpack_table.cpp).
void add_exchange_table();

// Adds the capsule that gpuarray.h imports (c_api.cpp).
void add_c_api(PyObject* module);

}  // namespace gpuarray::py
