// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <functional>

namespace gpuarray {

// Runs a compilation that nobody waits for on a thread of its own, one after the other, the newest
// first, because what ran last is likely to run again. Logs the error of a job that fails. Drops
// the job once the driver or the compilations have ended, and in a child of fork, where the thread
// is not. The job must not call Python. Thread-safe.
void compile_in_background(std::function<void()> job);

// Returns whether a job would run: few are pending, so that a program of ever new operations keeps
// no core busy with old ones. Thread-safe.
bool may_compile_in_background();

// Waits until no job is pending or runs, for tests. The caller does not hold the GIL. Thread-safe.
void finish_compilations();

// Waits for the compilation under way and lets none begin. To be called before the process's static
// objects are destroyed, the compiler's own first: it crashes or never returns after that.
void end_compilations();

}  // namespace gpuarray
