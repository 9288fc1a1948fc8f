// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <string>

namespace gpuarray {

// The files that a compiler has read, each with its state and a digest of its content, as a text to
// keep beside what it made. `rule` is what -MD -MT x writes; files below the folder `own` are left
// out. nullopt where a file cannot be read, or was changed since the file `begin` was written.
std::optional<std::string> describe_dependencies(const std::string& rule, const std::string& own,
                                                 const std::string& begin);

// Whether the files of such a text still hold the same. Reads only those whose size or times have
// changed.
bool dependencies_hold(const std::string& description);

}  // namespace gpuarray
