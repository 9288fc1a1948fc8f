// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "array/windows/fusion_mode.hpp"
#include "array/windows/window.hpp"

// Whether element-wise operations wait for those that follow, to run together with them. One window
// of the process holds them (window.hpp). All that could see that they have not run runs the window
// first: Buffer::data() of a result, the first BufferAccess that a thread opens, and each call from
// Python that is not one of those that may join it.
namespace gpuarray::ops {

// Takes the mode from GPUARRAY_FUSION. Throws ValueError for another name. Called once, before all
// else.
void set_up_fusion();
// From here on only the calling thread, which ends the interpreter, has turns that others wait for
// (process_window.hpp): another may never get the GIL again. Call it without the GIL, which the
// holder of a turn needs to end it.
void end_turns();
Fusion fusion();
const char* name(Fusion mode);
// Sets the mode of the name for the process; runs the window first. Throws what its operations
// throw, and ValueError "<what>: expected auto, off or always, got 'on'".
void set_fusion(const std::string& name, const char* what);
FusionStats fusion_stats();
// Sets what windows do in Fusion::always, for tests: "no", "replay", "compiled" or "adversary:7",
// whose number seeds the choice. Returns the name of before. Runs the window first, and throws what
// its operations throw.
const char* test_windows(const std::string& name);
// Runs the window and forgets which operations followed each other. Throws what its operations
// throw.
void forget_sequences();

// Takes the memory of an array that goes away while operations wait. The window may need its
// content no more, wait for its end, or be the only one that keeps the memory from then on.
void end(Array& array) noexcept;

}  // namespace gpuarray::ops
