// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <functional>

namespace gpuarray {

// Runs a compilation that nobody waits for on a thread of its own, one after the other, the newest
// first, because what ran last is likely to run again. What it throws is dropped, and so is the job
// once the driver or the compilations have ended. The job must not call Python. Thread-safe.
void compile_in_background(std::function<void()> job);

// Waits for the compilation under way and lets none begin. To be called before the process's static
// objects are destroyed, the compiler's own first: it crashes or never returns after that.
void end_compilations();

}  // namespace gpuarray
