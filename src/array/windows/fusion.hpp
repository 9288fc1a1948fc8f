// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "array/windows/fusion_mode.hpp"
#include "array/windows/window.hpp"

// The mode of fusion, and its set-up. In all modes but `off` an element-wise operation may wait in
// the recorder of its thread (recorder.hpp), to run with later ones. Whatever could see that it has
// not run runs it first; docs/engine.md has the list.
namespace gpuarray::ops {

// Takes the mode from GPUARRAY_FUSION. Throws ValueError for another name. Called once, before all
// else.
void set_up_fusion();
const char* name(Fusion mode);
// Sets the mode of the name for the process; runs the pending operations of all threads first.
// Throws what they throw, and ValueError "<what>: expected auto, off or always, got 'on'".
void set_fusion(const std::string& name, const char* what);
// Returns the sums over all threads.
FusionStats fusion_stats();
// Sets what windows do in Fusion::always, for tests: "no", "replay", "compiled" or "adversary:7",
// whose number seeds the choice. Returns the name of before. Runs all pending operations first, and
// throws what they throw.
const char* test_windows(const std::string& name);
// Runs all pending operations and forgets which ones followed each other. Throws what they throw.
void forget_sequences();

// Takes the memory of an array that goes away while operations wait. The window may need its
// content no more, wait for its end, or be the only one that keeps the memory from then on.
void end(Array& array) noexcept;

}  // namespace gpuarray::ops
