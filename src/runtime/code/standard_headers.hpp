// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "runtime/code/embedded.hpp"

namespace gpuarray {

// Returns the headers of C and C++ that sources of users may include, such as <cmath>, by texts
// that include one of kernels/standard/ or of CCCL. The run-time compiler has none of its own.
std::span<const EmbeddedText> standard_headers();

// Returns them without those of these names, for which the user has files: the compiler would
// prefer ours.
std::vector<EmbeddedText> standard_headers_but(const std::set<std::string>& names);

// Returns the sentence that says what to do about a header that the compiler's log says is missing
// or for the host; "" if it says so of none.
std::string header_direction(const std::string& log);
// Returns what to do about a header that the host's compiler does not find.
std::string host_header_direction(const std::string& header);

// Returns whether the name begins with one of the words of the list.
bool begins_with_any(const std::string& name, const char* list);

}  // namespace gpuarray
