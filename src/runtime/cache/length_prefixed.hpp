// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuarray {

// Joins the parts, each after its length, so that no two lists give the same text.
std::string join_length_prefixed(const std::vector<std::string>& parts);
// Splits a text into its parts; nullopt for a text that join_length_prefixed() has not made.
std::optional<std::vector<std::string>> split_length_prefixed(std::string_view text);

}  // namespace gpuarray
