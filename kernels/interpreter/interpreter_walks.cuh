// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// How the interpreter walks arrays: contiguous ones by 16 bytes, others by rows.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/interpreter/interpreter.cuh"

namespace gpuarray {
namespace interpreter {

// Returns the shared memory of the block that its launch asked for.
__device__ inline uint4* dynamic_shared() {
#ifdef GPUARRAY_DYNAMIC_SHARED
  GPUARRAY_DYNAMIC_SHARED(uint4, slots);
#else
  extern __shared__ uint4 slots[];
#endif
  return slots;
}

// Begins to copy the bytes of a group, which are aligned to their number, to shared memory.
__device__ inline void copy_async(uint4& to, const void* from, int bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned place = unsigned(__cvta_generic_to_shared(&to));
  if (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(from) : "memory");
  else if (bytes == 8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(place), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place), "l"(from) : "memory");
#else
  if (bytes == 16)
    memcpy(&to, __builtin_assume_aligned(from, 16), 16);
  else if (bytes == 8)
    memcpy(&to, __builtin_assume_aligned(from, 8), 8);
  else
    memcpy(&to, __builtin_assume_aligned(from, 4), 4);
#endif
}
__device__ inline void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Spreads the packed elements at the begin of a group over its words.
template <class Word, class Packed>
__device__ void spread(uint4* slots, int slot) {
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    Vec<Word, group_width<Word>>& group = slot_of<Word>(slots, slot, g);
    const auto packed = reinterpret_cast<const Vec<Packed, group_width<Word>>&>(group);
    Vec<Word, group_width<Word>> words;
#pragma unroll
    for (int i = 0; i < group_width<Word>; ++i) words.items[i] = packed.items[i];
    group = words;
  }
}

// Writes a group of words as elements of another size.
template <class Packed, class Word>
__device__ void store_group(void* to, int64_t at, const Word* words) {
  Vec<Packed, group_width<Word>> packed;
#pragma unroll
  for (int i = 0; i < group_width<Word>; ++i) packed.items[i] = Packed(words[i]);
  store(static_cast<Packed*>(to) + at, packed);
}

// Copies the elements of an input to its slot, of which the last block has only some.
template <class Word, class Program>
__device__ void load_flat(const InterpreterFlat<Program>& p, uint4* slots, int k, int64_t first) {
  constexpr int kWidth = group_width<Word>;
  Words<Word> words;
#pragma unroll
  for (int i = 0; i < thread_elements<Word>; ++i) {
    const int64_t at = first + i / kWidth * (kInterpreterBlock * kWidth) + i % kWidth;
    words.items[i] =
        at < p.size ? load_word<Word>(p.program.inputs[k], at, p.program.input_bytes[k]) : Word(0);
  }
  write_slot(slots, k, words);
}

// Runs a program over contiguous arrays.
template <class Word, class Program>
__device__ void flat(const InterpreterFlat<Program>& p) {
  uint4* const slots = dynamic_shared();
  constexpr int kWidth = group_width<Word>;
  constexpr int64_t kStride = kInterpreterBlock * kWidth;
  wait_for_previous_grid();
  const Program& program = p.program;
  const int64_t first = blockIdx.x * (kGroups * kStride) + int(threadIdx.x) * kWidth;
  const bool is_whole = (blockIdx.x + 1) * (kGroups * kStride) <= p.size;
  const int count = int(program.input_count);
  if (is_whole) {
    // The 2 bytes of two small elements are too few for a copy.
#pragma unroll 1
    for (int k = 0; k < count; ++k) {
      const int bytes = program.input_bytes[k];
      const char* const from = static_cast<const char*>(program.inputs[k]) + first * bytes;
      uint4* const to = slots + k * kGroups * kInterpreterBlock + int(threadIdx.x);
      if constexpr (kWidth < 4) {
        if (bytes * kWidth < 4) {
          load_flat<Word>(p, slots, k, first);
          continue;
        }
      }
#pragma unroll
      for (int g = 0; g < kGroups; ++g)
        copy_async(to[g * kInterpreterBlock], from + g * kStride * bytes, bytes * kWidth);
    }
    wait_for_copies();
#pragma unroll 1
    for (int k = 0; k < count && program.has_small_inputs; ++k) {
      const int bytes = program.input_bytes[k];
      if (bytes == int(sizeof(Word)) || bytes * kWidth < 4) continue;
      if (bytes == 1)
        spread<Word, uint8_t>(slots, k);
      else if (bytes == 2)
        spread<Word, uint16_t>(slots, k);
      else
        spread<Word, uint32_t>(slots, k);
    }
  } else {
#pragma unroll 1
    for (int k = 0; k < count; ++k) load_flat<Word>(p, slots, k, first);
  }
  run<Word>(program, slots, [&](int output, const Words<Word>& words) {
    void* const to = program.outputs[output];
    const int bytes = program.output_bytes[output];
    if (!is_whole) {
#pragma unroll
      for (int i = 0; i < thread_elements<Word>; ++i) {
        const int64_t at = first + i / kWidth * kStride + i % kWidth;
        if (at < p.size) store_word(to, at, bytes, words.items[i]);
      }
      return;
    }
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      const Word* const group = words.items + g * kWidth;
      const int64_t at = first + g * kStride;
      if (bytes == int(sizeof(Word)))
        store_group<Word>(to, at, group);
      else if (bytes == 1)
        store_group<uint8_t>(to, at, group);
      else if (bytes == 2)
        store_group<uint16_t>(to, at, group);
      else
        store_group<uint32_t>(to, at, group);
    }
  });
}

// Runs a program over arrays of any strides. A thread takes every 2^log_width-th column of a row.
template <class Word, class Program>
__device__ void rows(const InterpreterRows<Program>& p) {
  uint4* const slots = dynamic_shared();
  constexpr int kCount = thread_elements<Word>;
  wait_for_previous_grid();
  const Program& program = p.program;
  const uint32_t row_block = p.row_blocks.divide(blockIdx.x);
  const uint32_t lane = threadIdx.x & ((1u << p.log_width) - 1);
  const uint32_t row =
      row_block * (uint32_t(kInterpreterBlock) >> p.log_width) + (threadIdx.x >> p.log_width);
  const int64_t column =
      ((int64_t(blockIdx.x - row_block * p.row_blocks.divisor) * kCount) << p.log_width) + lane;
  const bool is_row = row < p.rows;
  uint32_t index[kInterpreterDims - 1] = {};
  uint32_t left = row;
#pragma unroll
  for (int axis = kInterpreterDims - 2; axis > 0; --axis) {
    if (axis >= p.outer) continue;
    const uint32_t next = p.extents[axis - 1].divide(left);
    index[axis] = left - next * p.extents[axis - 1].divisor;
    left = next;
  }
  index[0] = left;
  const auto offset = [&](int operand) {
    int64_t at = column * p.steps[operand];
#pragma unroll
    for (int axis = 0; axis < kInterpreterDims - 1; ++axis)
      at += index[axis] * p.strides[operand][axis];
    return at;
  };
  const auto is_inside = [&](int i) {
    return is_row && column + (int64_t(i) << p.log_width) < p.columns;
  };
#pragma unroll 1
  for (int k = 0; k < int(program.input_count); ++k) {
    const int64_t at = offset(k), step = p.steps[k] << p.log_width;
    Words<Word> words;
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      words.items[i] =
          is_inside(i) ? load_word<Word>(program.inputs[k], at + i * step, program.input_bytes[k])
                       : Word(0);
    write_slot(slots, k, words);
  }
  run<Word>(program, slots, [&](int output, const Words<Word>& words) {
    const int operand = int(program.input_count) + output;
    const int64_t at = offset(operand), step = p.steps[operand] << p.log_width;
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      if (is_inside(i))
        store_word(program.outputs[output], at + i * step, program.output_bytes[output],
                   words.items[i]);
  });
}

}  // namespace interpreter
}  // namespace gpuarray
