// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>
#include <string_view>

#include "core/dtype.hpp"

// Makes the CUDA C++ text of kernels that are compiled at run time, from the same templates as the
// kernels that are built ahead.
namespace gpuarray::source {

// The name of every kernel that is compiled at run time.
inline constexpr const char* kSymbol = "gpuarray_kernel";

// Returns the C++ type of `dtype` in kernels/dtypes.def, as "complex<float>".
std::string cpp_type(DType dtype);
// Returns the identifier of `dtype` in kernels/dtypes.def, which is part of symbols, as "bool_".
const char* identifier(DType dtype);
// Returns which source of kernels/aot holds the loops of `dtype`: "integer", "half", "float" or
// "complex" (see GPUARRAY_ONLY_* in kernels/dtype_classes.def).
const char* class_of(DType dtype);
// Returns the unsigned type of 1, 2, 4, 8 or 16 bytes that copies move, as "uint32_t" or "uint4".
std::string word_type(int bytes);

// Returns the line that includes a header of kernels/, as include("sort/search.cuh").
std::string include(const std::string& header);

// Returns the definitions of the functors that a text names, as add_functor<float>, with what they
// need of kernels/element; "" if it names none. A text that includes all of them is to have fewer
// lines: NVRTC reads the header of all functors in as much time as it compiles five operations.
std::string functors(std::string_view text);

// Returns how often a text names a functor of whose code copies take long to compile.
int count_large_functors(std::string_view text);

// Returns the declaration of a kernel's parameter `params` of this type.
std::string by_value(const std::string& type);

// Returns the text of a kernel named kSymbol with this body. `bounds` is its __launch_bounds__, or
// "".
std::string kernel(const std::string& headers, const std::string& parameters,
                   const std::string& body, const std::string& bounds = "");

}  // namespace gpuarray::source
