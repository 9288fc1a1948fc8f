// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <string>

namespace gpuarray {

// Describes the files that a compiler has read, each with its state and a digest of its content, in
// a text to be kept with the compiler's result. `rule` is the make rule that the options -MD -MT x
// write; files in the folder `own` are left out. Returns nullopt if a file cannot be read, or has
// changed since the file `begin` was written.
std::optional<std::string> describe_dependencies(const std::string& rule, const std::string& own,
                                                 const std::string& begin);

// Returns whether the files of such a description still have the same content. Reads only those
// whose size or times have changed.
bool dependencies_hold(const std::string& description);

}  // namespace gpuarray
