// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdio>

// CHECK(expression) counts the expression as passed or failed, and prints it if it is false.
// check_report() prints the counts and returns the exit status of main.
inline int checks_passed = 0;
inline int checks_failed = 0;

#define CHECK(...)                                                                   \
  do {                                                                               \
    if (__VA_ARGS__) {                                                               \
      ++checks_passed;                                                               \
    } else {                                                                         \
      ++checks_failed;                                                               \
      std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #__VA_ARGS__); \
    }                                                                                \
  } while (false)

// Returns whether calling `function` throws an Exception.
template <class Exception, class Function>
bool throws(Function&& function) {
  try {
    function();
  } catch (const Exception&) {
    return true;
  }
  return false;
}

inline int check_report() {
  std::printf("%d passed, %d failed\n", checks_passed, checks_failed);
  return checks_failed == 0 ? 0 : 1;
}
