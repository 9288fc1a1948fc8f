// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Values of any type as 32-bit words, which shuffles and slots move one by one.
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// Holds the bytes of a T, followed by zeros up to a multiple of four bytes.
template <class T>
struct Words {
  static constexpr int count = (sizeof(T) + 3) / 4;
  uint32_t word[count] = {};

  Words() = default;
  // The argument is a value because memcpy from global memory would go byte by byte.
  __device__ explicit Words(T value) { memcpy(word, &value, sizeof(T)); }
  __device__ T value() const {
    T made;
    memcpy(&made, word, sizeof(T));
    return made;
  }
  // Makes the compiler compute again what it has derived from the value, which would otherwise
  // occupy registers until the next use.
  __device__ void forget_uses() {
#ifdef __CUDA_ARCH__
    for (uint32_t& one : word) asm volatile("" : "+r"(one));
#endif
  }
};

// Return the value of another lane, as __shfl_sync and __shfl_up_sync do; all lanes must call them.
template <class T>
__device__ T shuffle(const T& value, int lane, int width = 32) {
  Words<T> words(value);
  for (uint32_t& word : words.word) word = __shfl_sync(0xffffffffu, word, lane, width);
  return words.value();
}
template <class T>
__device__ T shuffle_up(const T& value, uint32_t distance, int width) {
  Words<T> words(value);
  for (uint32_t& word : words.word) word = __shfl_up_sync(0xffffffffu, word, distance, width);
  return words.value();
}

}  // namespace gpuarray
