// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>

#include "types.hpp"

namespace model {

// A function of the model. All of them form a linked list.
struct Function {
  const char* name;
  void* address;
  std::atomic<uint64_t> calls = 0;
  std::atomic<int64_t> fails_in = 0;  // the call from now that fails, 1 for the next; 0: none
  std::atomic<Status> fails_with = 0;
  Function* next = nullptr;

  Function(const char* name, void* address);
  // Counts a call. Returns the status that it has to fail with, or 0.
  Status enter() {
    calls.fetch_add(1, std::memory_order_relaxed);
    if (fails_in.load(std::memory_order_relaxed) == 0) return kSuccess;
    return fails_in.fetch_sub(1) == 1 ? fails_with.load() : kSuccess;
  }
};

// Returns the function of this name, or null if the model lacks it.
Function* find_function(const char* name);
// Returns how often the function was called, or all functions together for "".
uint64_t calls_of(const char* name);
// Makes the `n`th call from now fail with `status`; n = 0 calls it off. Returns false for an
// unknown name.
bool fail(const char* name, int64_t n, Status status);

// Writes the names of all functions, one a line, as far as `size` bytes go. Returns the bytes of
// all names.
size_t list(char* text, size_t size);

// Returns what GPUARRAY_TEST_DRIVER says: fast (the default), late, random or random:<seed>.
Mode mode();
// Returns the status with which the call of `name` is to fail in the mode `fast`, else 0.
Status fast_failure(const char* name);
// Returns the next number of the seeded sequence.
uint64_t random_number();
// Returns GPUARRAY_TEST_DRIVER_DEVICES, by default 1.
int device_count();

}  // namespace model

// Defines a function of the driver in which an error can be injected. The parameters are those of
// cuda.h.
#define MODEL(name, parameters, ...)                                                    \
  namespace {                                                                           \
  extern model::Function called_##name;                                                 \
  int name parameters {                                                                 \
    if (model::Status injected = called_##name.enter(); injected != 0) return injected; \
    __VA_ARGS__;                                                                        \
  }                                                                                     \
  model::Function called_##name{#name, reinterpret_cast<void*>(&name)};                 \
  }
