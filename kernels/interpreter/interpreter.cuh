// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The interpreter: an accumulator machine that computes a program of element-wise operations, each
// thread for a few elements. Values other than the accumulator lie in shared memory, in slots of 32
// bytes a thread, so that no thread waits for another.
#pragma once

#include "kernels/interpreter/words.cuh"

namespace gpuarray {
namespace interpreter {

// Runs an instruction of a frequent code. `x(i)` is element i of its operand.
template <class Word, class X>
__device__ void run_frequent(StepCode code, Words<Word>& a, const X& x) {
  switch (code) {
#define GPUARRAY_STEP(...)
#define GPUARRAY_FREQUENT_STEP(name, dtype, T)                                     \
  case StepCode::name##_##dtype:                                                   \
    _Pragma("unroll") for (int i = 0; i < thread_elements<Word>; ++i) a.items[i] = \
        apply_one<name##_functor<T>, T>(a.items[i], x(i), Word(0));                \
    break;
#include "kernels/interpreter/steps.def"
    default:
      __builtin_unreachable();
  }
}

// Runs an instruction of any code.
template <class Word, class Program>
__device__ void run_any(const Program& p, uint4* slots, const Instruction& step, Words<Word>& a,
                        const Words<Word>& x) {
  Words<Word> y;
  switch (step.code) {
    case StepCode::load:
      break;
    case StepCode::where:
      read_y(p, slots, step, y);
      select(a, x, y);
      break;
#define GPUARRAY_STEP(name, dtype, T)                                       \
  case StepCode::name##_##dtype:                                            \
    if constexpr (name##_functor<T>::arity == 3) read_y(p, slots, step, y); \
    apply<name##_functor<T>, T>(a, x, y);                                   \
    break;
#define GPUARRAY_STEP_CAST(from, From, to, To) \
  case StepCode::cast_##from##_##to:           \
    convert<To, From>(a);                      \
    break;
#include "kernels/interpreter/steps.def"
    default:
      __builtin_unreachable();
  }
}

// Runs the program, once its inputs lie in the first slots, and calls `write(output, words)`. All
// threads of a block take the same way through it.
template <class Word, class Program, class Write>
__device__ void run(const Program& p, uint4* slots, const Write& write) {
  Words<Word> a, x;
#pragma unroll
  for (int i = 0; i < thread_elements<Word>; ++i) a.items[i] = 0;
#pragma unroll 1
  for (uint32_t at = 0; at < p.instruction_count; ++at) {
    const Instruction step = p.code[at];
    if (step.flags & kLoads) {
      x = a;
      if (step.flags & kLoadsScalar)
        read_scalar(p, step.a, a);
      else
        read_slot(slots, step.a, a);
    }
    if (step.form == StepForm::frequent_slot) {
      read_slot(slots, step.x, x);
      run_frequent(step.code, a, [&](int i) { return x.items[i]; });
    } else if (step.form == StepForm::frequent_scalar) {
      const Word scalar = Word(p.scalars[step.x]);
      run_frequent(step.code, a, [&](int) { return scalar; });
    } else {
      if (step.form == StepForm::slot) read_slot(slots, step.x, x);
      if (step.form == StepForm::scalar) read_scalar(p, step.x, x);
      if (step.form == StepForm::before && !(step.flags & kLoads)) x = a;
      run_any(p, slots, step, a, x);
    }
    if (step.flags & (kKeeps | kWrites)) {
      if (step.flags & kKeeps) write_slot(slots, step.slot, a);
      if (step.flags & kWrites) write(step.output, a);
    }
  }
}

}  // namespace interpreter
}  // namespace gpuarray
