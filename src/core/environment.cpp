// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/environment.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/error.hpp"

namespace gpuarray {

int64_t integer_variable(const char* variable, int64_t fallback) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == 0) return fallback;
  const char* end = text + std::strlen(text);
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error == std::errc() && stop == end) return value;
  throw ValueError(std::string(variable) + "=" + text + ": expected a whole number");
}

}  // namespace gpuarray
