// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/buffer/deferred.hpp"

namespace gpuarray {
namespace {

constinit std::atomic<void (*)()> hook = nullptr;

}  // namespace

void set_deferred_hook(void (*run)()) { hook = run; }

void run_deferred() {
  Deferred seen = Deferred::history;
  if (deferred.compare_exchange_strong(seen, Deferred::nothing)) return;
  if (void (*run)() = hook.load()) run();
}

}  // namespace gpuarray
