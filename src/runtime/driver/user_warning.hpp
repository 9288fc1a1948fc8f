// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

namespace gpuarray {

// Sets the function that warns the user of something that is not an error (in Python,
// warnings.warn). It may throw.
void set_user_warning(void (*notice)(const std::string& text));
// Warns the user; does nothing until a function is set. Throws what the function throws.
void warn_user(const std::string& text);

}  // namespace gpuarray
