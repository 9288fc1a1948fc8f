// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Values of any type by their 32-bit words.
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

template <class T>
struct Words {
  static constexpr int count = (sizeof(T) + 3) / 4;
  uint32_t word[count] = {};

  Words() = default;
  // By value: a copy out of global memory would go byte by byte.
  __device__ explicit Words(T value) { memcpy(word, &value, sizeof(T)); }
  __device__ T value() const {
    T made;
    memcpy(&made, word, sizeof(T));
    return made;
  }
  // What was made of the value is to be made again: it would fill registers of its own meanwhile.
  __device__ void forget_uses() {
#ifdef __CUDA_ARCH__
    for (uint32_t& one : word) asm volatile("" : "+r"(one));
#endif
  }
};

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
