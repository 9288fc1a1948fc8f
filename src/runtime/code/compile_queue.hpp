// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <functional>

namespace gpuarray {

// Runs a compilation that nobody waits for on a thread of its own, one after the other, the newest
// first, because what ran last is likely to run again. What it throws is dropped, and so is the job
// once the driver has ended; at the end of the process the compilation under way is waited for. The
// job must not call Python. Thread-safe.
void compile_in_background(std::function<void()> job);

}  // namespace gpuarray
