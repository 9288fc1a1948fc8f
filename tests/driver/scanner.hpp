// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string_view>

// Reads a text from its beginning; `left` is what is still to be read.
struct Scanner {
  std::string_view left;

  // Skips `expected` and returns true, if the text begins with it.
  bool skip(std::string_view expected) {
    if (!left.starts_with(expected)) return false;
    left.remove_prefix(expected.size());
    return true;
  }
  void skip_any_of(std::string_view characters) {
    const size_t end = left.find_first_not_of(characters);
    left.remove_prefix(end == left.npos ? left.size() : end);
  }
  // Skips all up to the end of the next `mark` and returns true; `before` receives what is before
  // the mark. Skips nothing if there is none.
  bool skip_past(std::string_view mark, std::string_view* before = nullptr) {
    const size_t at = left.find(mark);
    if (at == left.npos) return false;
    if (before != nullptr) *before = left.substr(0, at);
    left.remove_prefix(at + mark.size());
    return true;
  }
  // Skips and returns letters, digits and underscores, of which there may be none.
  std::string_view word() {
    constexpr std::string_view kLetters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const std::string_view found = left.substr(0, left.find_first_not_of(kLetters));
    left.remove_prefix(found.size());
    return found;
  }
};
