// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Defines the kernels of the interpreter for words of GPUARRAY_ONLY_WORD bytes.
#pragma once

#include "kernels/interpreter/interpreter_walks.cuh"

#define GPUARRAY_INTERPRETER_NAMED(name, walk, Params, word)                                  \
  extern "C" __global__ void __launch_bounds__(gpuarray::kInterpreterBlock)                   \
      gpuarray_interpreter_##name##_##word(const __grid_constant__ gpuarray::Params params) { \
    gpuarray::interpreter::walk<gpuarray::interpreter::uint_of<word>::type>(params);          \
  }
#define GPUARRAY_INTERPRETER(name, walk, Params, word) \
  GPUARRAY_INTERPRETER_NAMED(name, walk, Params, word)
GPUARRAY_INTERPRETER(flat, flat, InterpreterFlat<gpuarray::Program>, GPUARRAY_ONLY_WORD)
GPUARRAY_INTERPRETER(rows, rows, InterpreterRows<gpuarray::Program>, GPUARRAY_ONLY_WORD)
GPUARRAY_INTERPRETER(small_flat, flat, InterpreterFlat<gpuarray::SmallProgram>, GPUARRAY_ONLY_WORD)
GPUARRAY_INTERPRETER(small_rows, rows, InterpreterRows<gpuarray::SmallProgram>, GPUARRAY_ONLY_WORD)
