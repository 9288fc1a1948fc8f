// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gpuarray {

// Where a source's headers are looked for, in this order.
struct IncludePath {
  std::string source_folder;         // of `#include "name"` only; "" is the current folder
  std::vector<std::string> folders;  // the user's
  std::vector<std::string> toolkit;  // the compiler's own, whose files are as old as it
};

// The digest of all headers that the source may include, transitively: those under an #if that is
// not taken too. Files of the toolkit do not count, names that are nowhere do. nullopt where a
// header's name is only known to the preprocessor.
std::optional<std::string> includes_digest(const std::string& source, const IncludePath& path);

}  // namespace gpuarray
