// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>
#include <vector>

#include "runtime/code/compile.hpp"
#include "runtime/code/includes.hpp"

namespace gpuarray {

// Returns the values of an option, which `names` spell as "-I folder" or "-I=folder"; `glued`,
// unless it is "", is a spelling without a separator.
std::vector<std::string> option_values(const std::vector<std::string>& options,
                                       const std::vector<std::string>& names,
                                       const std::string& glued);

// Completes a user's request: adds C++20 unless its options name a standard, and as include folders
// `folders`, those of GPUARRAY_INCLUDE_PATH and those of the compiler's toolkit, in this order.
CompileRequest with_defaults(CompileRequest request, const std::vector<std::string>& folders);

// Returns the folders in which a request's headers are looked for, read from its options.
IncludePath include_path(const CompileRequest& request);

// Returns the headers that a request's options include before the source.
std::vector<std::string> pre_included(const CompileRequest& request);

}  // namespace gpuarray
