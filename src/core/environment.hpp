// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <string>

namespace gpuarray {

// Returns the value of an environment variable, "" if it is unset.
std::string text_variable(const char* variable);

// Returns the whole number in an environment variable, `fallback` if it is unset or empty. Throws
// ValueError for anything else.
int64_t integer_variable(const char* variable, int64_t fallback);

// Returns whether an environment variable is 1, `fallback` if it is unset or empty. Throws
// ValueError for anything but 0 and 1.
bool bool_variable(const char* variable, bool fallback);

}  // namespace gpuarray
