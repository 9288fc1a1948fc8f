// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Programs of the interpreter, which computes several element-wise operations in one kernel that
// was built before they were known. The host includes this file too, and writes the programs.
#pragma once

#include "kernels/element/divisor.hpp"
#include "kernels/element/element.cuh"

namespace gpuarray {

// The codes of the instructions, for programs of either word (steps.def).
enum class StepCode : uint8_t {
  load,   // leaves the accumulator
  where,  // the accumulator becomes x where it is not 0, else y
#define GPUARRAY_ALL_WORDS
#define GPUARRAY_STEP(name, dtype, T) name##_##dtype,
#define GPUARRAY_STEP_CAST(from, From, to, To) cast_##from##_##to,
#include "kernels/interpreter/steps.def"
#undef GPUARRAY_ALL_WORDS
};

// How an instruction takes operand x. The first two are those of frequent codes, which are told
// apart by fewer branches.
enum class StepForm : uint8_t {
  frequent_slot,
  frequent_scalar,
  slot,
  scalar,
  before,   // the accumulator, as it was before operand a replaced it
  nothing,  // there is no operand x
};

// What an instruction does beside.
enum StepFlag : uint8_t {
  kLoads = 1,         // the accumulator first becomes operand a
  kLoadsScalar = 2,   // operand a is a scalar
  kTakesScalarY = 4,  // operand y is a scalar
  kKeeps = 8,         // the result is kept in a slot
  kWrites = 16,       // the result is written to an output
};

// One step of the accumulator machine: accumulator = code(accumulator, x, y).
struct alignas(16) Instruction {
  StepCode code;
  StepForm form;
  uint8_t flags;
  uint8_t output;
  uint16_t x;  // this and the following are numbers of slots in shared memory, or of scalars
  uint16_t slot;
  uint16_t a;
  uint16_t y;
  uint32_t unused;
};

inline constexpr int kMostInputs = 16;
inline constexpr int kMostOutputs = 28;
inline constexpr int kMostStepScalars = 32;
inline constexpr int kMostInstructions = 112;
inline constexpr int kMostSlots = 27;       // inputs among them
inline constexpr int kInterpreterDims = 4;  // axes of the rows walk

// A program, and how much there is room for.
template <int inputs_, int outputs_, int scalars_, int instructions_>
struct ProgramOf {
  static constexpr int most_inputs = inputs_;
  static constexpr int most_outputs = outputs_;
  static constexpr int most_scalars = scalars_;
  static constexpr int most_instructions = instructions_;

  const void* inputs[inputs_];
  void* outputs[outputs_];
  uint8_t input_bytes[inputs_];  // of an element
  uint8_t output_bytes[outputs_];
  uint32_t input_count;
  uint32_t instruction_count;
  bool has_small_inputs;       // whether elements of an input have fewer bytes than the words
  uint64_t scalars[scalars_];  // their words, in the low bytes
  Instruction code[instructions_];
};
using Program = ProgramOf<kMostInputs, kMostOutputs, kMostStepScalars, kMostInstructions>;
// What most programs fit in. To launch a kernel with 2.5 KiB of parameters takes half a microsecond
// more than one with 1 KiB.
using SmallProgram = ProgramOf<8, 4, 12, 40>;

// What the walk over contiguous arrays takes: every one has aligned vectors.
template <class Program>
struct InterpreterFlat {
  int64_t size;
  Program program;
};

// What the walk by rows takes. Operands are counted from the inputs on to the outputs.
template <class Program>
struct InterpreterRows {
  static constexpr int most_operands = Program::most_inputs + Program::most_outputs;

  int64_t columns;
  uint32_t rows;
  int32_t log_width;   // 2^log_width threads lie along a row, the others over rows
  Divisor row_blocks;  // blocks along a row
  Divisor extents[kInterpreterDims - 2];  // of the outer axes but the first
  int32_t outer;                          // outer axes, of which the last varies fastest
  int64_t steps[most_operands];
  int64_t strides[most_operands][kInterpreterDims - 1];
  Program program;
};

}  // namespace gpuarray
