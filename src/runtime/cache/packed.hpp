// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuarray {

// Each part after its length, so that no two lists give the same text.
std::string packed(const std::vector<std::string>& parts);
// nullopt for what packed() has not made.
std::optional<std::vector<std::string>> unpacked(std::string_view text);

}  // namespace gpuarray
