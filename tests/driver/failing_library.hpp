// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Exported functions of a library that can be made to fail by name, as those of the test driver.
#pragma once

#include <dlfcn.h>

#include <algorithm>

#include "calls.hpp"

// Defines an exported function that returns a status. The body `...` runs unless the call is to
// fail.
#define FAILING(name, parameters, ...)                                                  \
  namespace {                                                                           \
  model::Function called_##name{#name, nullptr};                                        \
  }                                                                                     \
  extern "C" int name parameters {                                                      \
    if (model::Status injected = called_##name.enter(); injected != 0) return injected; \
    __VA_ARGS__;                                                                        \
  }

// Returns a function of the library that GPUARRAY_FORWARDED names, which the build defines.
#ifdef GPUARRAY_FORWARDED
template <class Function>
Function* forwarded(const char* name) {
  static void* const library = dlopen(GPUARRAY_FORWARDED, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(dlsym(library, name));
}
#endif

extern "C" {
// These do what those of stub_driver.cpp do.
int test_driver_fail(const char* name, int64_t n, int status) {
  return model::fail(name, n, status) ? 0 : 1;
}
uint64_t stub_calls(const char* name) { return model::calls_of(name); }
int64_t test_driver_fails_in(const char* name) {
  const model::Function* function = model::find_function(name);
  return function == nullptr ? 0 : std::max<int64_t>(function->fails_in, 0);
}
}
