// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver/blocking.hpp"

#include <atomic>

namespace gpuarray {
namespace {

std::atomic<BlockingHook> installed = nullptr;

}  // namespace

void set_blocking_hook(BlockingHook hook) { installed = hook; }

void run_blocking(void (*call)(void*), void* what) {
  const BlockingHook hook = installed.load();
  return hook == nullptr ? call(what) : hook(call, what);
}

}  // namespace gpuarray
