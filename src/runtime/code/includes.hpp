// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gpuarray {

// The folders in which a source's headers are looked for, in this order.
struct IncludePath {
  std::string source_folder;         // for `#include "name"` only; "" is the current folder
  std::vector<std::string> folders;  // the user's folders
  // The compiler's own folders, whose files change only with the compiler.
  std::vector<std::string> toolkit;
};

// Returns the digest of all headers that the source may include, transitively, including those
// under an #if that is not taken. Names that are found nowhere count, files of the toolkit do not.
// Returns nullopt if only the preprocessor can know a header's name.
std::optional<std::string> includes_digest(const std::string& source, const IncludePath& path);

}  // namespace gpuarray
