// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <set>
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

// What a source includes, transitively, including what stands under an #if that is not taken.
struct IncludedHeaders {
  // Names that are found nowhere count, files of the toolkit do not; nullopt if only the
  // preprocessor can know a header's name.
  std::optional<std::string> digest;
  std::set<std::string> found;  // the names, as they are included, of the user's files
};

IncludedHeaders included_headers(const std::string& source, const IncludePath& path);

}  // namespace gpuarray
