// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/buffer/deferred.hpp"

namespace gpuarray {
namespace {

void do_nothing() {}
constinit DeferredHooks hooks{do_nothing, do_nothing, do_nothing, [](const Buffer&) {}};

}  // namespace

void set_deferred_hooks(const DeferredHooks& wanted) { hooks = wanted; }

void run_deferred() { hooks.end_own(); }

void run_deferred_work() { hooks.run_own(); }

void run_all_deferred() { hooks.run_all(); }

void run_deferred_readers(const Buffer& buffer) { hooks.run_readers(buffer); }

}  // namespace gpuarray
