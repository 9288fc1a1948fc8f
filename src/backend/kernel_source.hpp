// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "core/dtype.hpp"

// The parts that the CUDA C++ text of a kernel is made of, for kernels that are compiled at run
// time from the same templates as those that are built ahead.
namespace gpuarray::source {

// The name of every kernel that is compiled at run time.
inline constexpr const char* kSymbol = "gpuarray_kernel";

// The C++ type in kernels/dtypes.def: "complex<float>".
std::string cpp_type(DType dtype);
// The identifier in kernels/dtypes.def, which symbols are made of: "bool_".
const char* identifier(DType dtype);
// The source of kernels/aot that holds a loop of this dtype: "integer", "half", "float" or
// "complex" (GPUARRAY_ONLY_* of kernels/dtype_classes.def).
const char* class_of(DType dtype);
// The unsigned type of so many bytes, that copies move: "uint32_t", "uint4".
std::string word_type(int bytes);

// The line that includes a header of kernels/: include("sort/search.cuh").
std::string include(const std::string& header);

// A parameter of a kernel, `params`, of this type.
std::string by_value(const std::string& type);

// The text of a kernel named kSymbol with this body; `bounds` is its __launch_bounds__, if any.
std::string kernel(const std::string& headers, const std::string& parameters,
                   const std::string& body, const std::string& bounds = "");

}  // namespace gpuarray::source
