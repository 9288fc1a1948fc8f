// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Defines the two kernels of the interpreter for words of GPUARRAY_ONLY_WORD bytes.
#pragma once

#include "kernels/interpreter/interpreter_walks.cuh"

#define GPUARRAY_INTERPRETER_NAMED(walk, Params, word)                                        \
  extern "C" __global__ void __launch_bounds__(gpuarray::kInterpreterBlock)                   \
      gpuarray_interpreter_##walk##_##word(const __grid_constant__ gpuarray::Params params) { \
    gpuarray::interpreter::walk<gpuarray::interpreter::uint_of<word>::type>(params);          \
  }
#define GPUARRAY_INTERPRETER(walk, Params, word) GPUARRAY_INTERPRETER_NAMED(walk, Params, word)
GPUARRAY_INTERPRETER(flat, InterpreterFlat, GPUARRAY_ONLY_WORD)
GPUARRAY_INTERPRETER(rows, InterpreterRows, GPUARRAY_ONLY_WORD)
