// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

namespace gpuarray {

// What tells the user of something that is no error; it may throw. The layers above set it.
void set_notice(void (*notice)(const std::string& text));
// Does nothing until a notice is set.
void notify(const std::string& text);

}  // namespace gpuarray
