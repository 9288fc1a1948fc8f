// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The words that the interpreter computes with: 4 or 8 bytes, whose low ones are an element of any
// dtype. A thread has several; those that wait lie in its slots in shared memory.
#pragma once

#include "kernels/element/functors.cuh"
#include "kernels/element/inputs.cuh"
#include "kernels/interpreter/interpreter_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {
namespace interpreter {

// The elements of a thread are kGroups vectors of 16 bytes.
inline constexpr int kGroups = 2;
template <class Word>
inline constexpr int group_width = 16 / int(sizeof(Word));
template <class Word>
inline constexpr int thread_elements = kGroups * group_width<Word>;

template <int Bytes>
struct uint_of;
template <>
struct uint_of<1> {
  using type = uint8_t;
};
template <>
struct uint_of<2> {
  using type = uint16_t;
};
template <>
struct uint_of<4> {
  using type = uint32_t;
};
template <>
struct uint_of<8> {
  using type = uint64_t;
};
template <class T>
using uint_of_t = typename uint_of<sizeof(T)>::type;

template <class T, class Word>
__device__ T from_word(Word word) {
  if constexpr (is_bool_v<T>) return word != 0;
  return __builtin_bit_cast(T, uint_of_t<T>(word));
}
template <class Word, class T>
__device__ Word to_word(T value) {
  return __builtin_bit_cast(uint_of_t<T>, value);
}

// The words of a thread's elements.
template <class Word>
struct Words {
  Word items[thread_elements<Word>];
};

// Functions whose code is so long that it stands in the kernel once, in a loop.
template <class Functor>
inline constexpr bool is_long = false;
#define GPUARRAY_LONG(name) \
  template <class T>        \
  inline constexpr bool is_long<name##_functor<T>> = true;
GPUARRAY_LONG(sin)
GPUARRAY_LONG(cos)
GPUARRAY_LONG(power)
GPUARRAY_LONG(floor_divide)
GPUARRAY_LONG(remainder)
#undef GPUARRAY_LONG

template <class Functor, class T, class Word>
__device__ Word apply_one(Word a, Word x, Word y) {
  const auto first = from_word<typename Functor::first>(a);
  if constexpr (Functor::arity == 1)
    return to_word<Word>(Functor::apply(first));
  else if constexpr (Functor::arity == 2)
    return to_word<Word>(Functor::apply(first, from_word<T>(x)));
  else
    return to_word<Word>(Functor::apply(first, from_word<T>(x), from_word<T>(y)));
}

// Replaces the accumulator's elements by those of the operation.
template <class Functor, class T, class Word>
__device__ void apply(Words<Word>& a, const Words<Word>& x, const Words<Word>& y) {
  constexpr int kCount = thread_elements<Word>;
  if constexpr (!is_long<Functor>) {
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      a.items[i] = apply_one<Functor, T>(a.items[i], x.items[i], y.items[i]);
  } else {
    // The elements pass through the first place, because registers have no indices.
    Words<Word> rest = x;
#pragma unroll 1
    for (int i = 0; i < kCount; ++i) {
      const Word made = apply_one<Functor, T>(a.items[0], rest.items[0], Word(0));
#pragma unroll
      for (int j = 1; j < kCount; ++j) {
        a.items[j - 1] = a.items[j];
        rest.items[j - 1] = rest.items[j];
      }
      a.items[kCount - 1] = made;
    }
  }
}

template <class Word>
__device__ void select(Words<Word>& a, const Words<Word>& x, const Words<Word>& y) {
#pragma unroll
  for (int i = 0; i < thread_elements<Word>; ++i)
    a.items[i] = a.items[i] != 0 ? x.items[i] : y.items[i];
}

template <class To, class From, class Word>
__device__ void convert(Words<Word>& a) {
#pragma unroll
  for (int i = 0; i < thread_elements<Word>; ++i)
    a.items[i] = to_word<Word>(cast<To>(from_word<From>(a.items[i])));
}

// Returns the place of a group of this thread in shared memory.
template <class Word>
__device__ Vec<Word, group_width<Word>>& slot_of(uint4* slots, int slot, int group) {
  return reinterpret_cast<Vec<Word, group_width<Word>>&>(
      slots[(slot * kGroups + group) * kInterpreterBlock + int(threadIdx.x)]);
}

template <class Word>
__device__ void read_slot(uint4* slots, int slot, Words<Word>& into) {
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const Vec<Word, group_width<Word>> group = slot_of<Word>(slots, slot, g);
#pragma unroll
    for (int i = 0; i < group_width<Word>; ++i)
      into.items[g * group_width<Word> + i] = group.items[i];
  }
}

template <class Word>
__device__ void write_slot(uint4* slots, int slot, const Words<Word>& from) {
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    Vec<Word, group_width<Word>> group;
#pragma unroll
    for (int i = 0; i < group_width<Word>; ++i)
      group.items[i] = from.items[g * group_width<Word> + i];
    slot_of<Word>(slots, slot, g) = group;
  }
}

template <class Word, class Program>
__device__ void read_scalar(const Program& p, int scalar, Words<Word>& into) {
  const Word word = Word(p.scalars[scalar]);
#pragma unroll
  for (int i = 0; i < thread_elements<Word>; ++i) into.items[i] = word;
}

template <class Word, class Program>
__device__ void read_y(const Program& p, uint4* slots, const Instruction& step, Words<Word>& y) {
  if (step.flags & kTakesScalarY)
    read_scalar(p, step.y, y);
  else
    read_slot(slots, step.y, y);
}

// Reads an element of some bytes from memory into a word.
template <class Word>
__device__ Word load_word(const void* from, int64_t at, int bytes) {
  if (bytes == 1) return static_cast<const uint8_t*>(from)[at];
  if (bytes == 2) return static_cast<const uint16_t*>(from)[at];
  if (sizeof(Word) == 4 || bytes == 4) return static_cast<const uint32_t*>(from)[at];
  return Word(static_cast<const uint64_t*>(from)[at]);
}
template <class Word>
__device__ void store_word(void* to, int64_t at, int bytes, Word word) {
  if (bytes == 1)
    static_cast<uint8_t*>(to)[at] = uint8_t(word);
  else if (bytes == 2)
    static_cast<uint16_t*>(to)[at] = uint16_t(word);
  else if (sizeof(Word) == 4 || bytes == 4)
    static_cast<uint32_t*>(to)[at] = uint32_t(word);
  else
    static_cast<uint64_t*>(to)[at] = word;
}

}  // namespace interpreter
}  // namespace gpuarray
