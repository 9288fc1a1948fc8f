// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/cache/length_prefixed.hpp"

#include <cstdint>
#include <cstring>

namespace gpuarray {

std::string join_length_prefixed(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    const uint64_t size = part.size();
    text.append(reinterpret_cast<const char*>(&size), sizeof size).append(part);
  }
  return text;
}

std::optional<std::vector<std::string>> split_length_prefixed(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    uint64_t size = 0;
    if (text.size() < sizeof size) return std::nullopt;
    std::memcpy(&size, text.data(), sizeof size);
    text.remove_prefix(sizeof size);
    if (text.size() < size) return std::nullopt;
    parts.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return parts;
}

}  // namespace gpuarray
