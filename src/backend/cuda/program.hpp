// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <vector>

#include "backend/steps.hpp"
#include "kernels/interpreter/interpreter_params.hpp"

// Writes steps as programs of the interpreter (kernels/interpreter/). These are pure functions,
// which need no CUDA.
namespace gpuarray {

// Returns the bytes of the words that the interpreter computes the step in, as bits: 4, 8 or both;
// 0 if it does not have it.
uint32_t program_words(const Step& step);

struct CompiledProgram {
  Program program;           // without scalars, and the addresses and sizes of memory
  std::vector<int> inputs;   // the memory of each input
  std::vector<int> outputs;  // and of each output
  int slots = 0;
};

// Returns the program, or nullopt if the steps take more places than there are.
std::optional<CompiledProgram> compile_program(const Steps& steps);

}  // namespace gpuarray
