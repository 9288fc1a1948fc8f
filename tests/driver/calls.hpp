// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>

#include "types.hpp"

namespace model {

// A function of the model; all of them are linked.
struct Function {
  const char* name;
  void* address;
  std::atomic<uint64_t> calls = 0;
  std::atomic<int64_t> fails_in = 0;  // that many calls from now; 0: never
  std::atomic<Status> fails_with = 0;
  Function* next = nullptr;

  Function(const char* name, void* address);
  // Counts a call; what it has to fail with, else 0.
  Status enter() {
    calls.fetch_add(1, std::memory_order_relaxed);
    if (fails_in.load(std::memory_order_relaxed) == 0) return kSuccess;
    return fails_in.fetch_sub(1) == 1 ? fails_with.load() : kSuccess;
  }
};

Function* find_function(const char* name);  // null for what the model lacks
uint64_t calls_of(const char* name);        // "" of all
// The `n`th call from now fails; n = 0: none. False for an unknown name.
bool fail(const char* name, int64_t n, Status status);

// Their names, one a line, as far as `size` bytes go; the bytes of all.
size_t list(char* text, size_t size);

// GPUARRAY_TEST_DRIVER: fast (as is without), late, random or random:<seed>.
Mode mode();
uint64_t random_number();  // of the seeded sequence
int device_count();        // GPUARRAY_TEST_DRIVER_DEVICES, 1 as is

}  // namespace model

// A function of the driver in which an error can be injected. Parameters as in cuda.h.
#define MODEL(name, parameters, ...)                                                    \
  namespace {                                                                           \
  extern model::Function called_##name;                                                 \
  int name parameters {                                                                 \
    if (model::Status injected = called_##name.enter(); injected != 0) return injected; \
    __VA_ARGS__;                                                                        \
  }                                                                                     \
  model::Function called_##name{#name, reinterpret_cast<void*>(&name)};                 \
  }
