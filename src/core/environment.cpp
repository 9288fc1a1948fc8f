// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/environment.hpp"

#include <charconv>
#include <cstdlib>
#include <string>

#include "core/error.hpp"

namespace gpuarray {

std::string text_variable(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? "" : text;
}

int64_t integer_variable(const char* variable, int64_t fallback) {
  const std::string text = text_variable(variable);
  if (text.empty()) return fallback;
  const char* end = text.data() + text.size();
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end) return value;
  throw ValueError(std::string(variable) + "=" + text + ": expected a whole number");
}

bool bool_variable(const char* variable, bool fallback) {
  const std::string text = text_variable(variable);
  if (text.empty()) return fallback;
  if (text == "0" || text == "1") return text == "1";
  throw ValueError(std::string(variable) + "=" + text + ": expected 0 or 1");
}

}  // namespace gpuarray
