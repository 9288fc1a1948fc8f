// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <deque>
#include <string>

namespace gpuarray::py {

// Joins a signature and a text into a docstring from which CPython reads __text_signature__. The
// result lives for the process, as the method tables that point to it do.
inline const char* docstring(const std::string& signature, const std::string& text) {
  static std::deque<std::string>& made = *new std::deque<std::string>;
  return made
      .emplace_back(signature + R"(
--

)" + text)
      .c_str();
}

}  // namespace gpuarray::py
