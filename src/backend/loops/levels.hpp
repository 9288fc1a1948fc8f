// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <span>

#include "backend/loops/loops.hpp"

namespace gpuarray::loops {

// A set of instructions that the loops are compiled for. All levels give the same bits.
struct Level {
  const char* name;              // "v3", for x86-64-v3
  const char* compiler_options;  // which let a compiler use the instructions, separated by spaces
  bool (*is_supported)();        // whether this processor has them
  void (*fill)(void* loops);
};

// Returns the levels that were built, the highest last.
std::span<const Level> levels();

// Returns the highest level that this processor has, or the one that GPUARRAY_CPU_LEVEL names; it
// is chosen at the first call. Throws ValueError for a name that is not a level's, or that of a
// level that the processor lacks, and DeviceError if it has none.
const Level& level();

// Returns the loops of level().
const Loops& table();

}  // namespace gpuarray::loops
