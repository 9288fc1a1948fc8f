// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// How the blocks of a scan exchange totals in global memory. A slot holds a value in 32-bit words,
// each beside a copy of a flag in eight bytes that are written by one store. A reader that finds
// the same flag in all of them has the whole value, so that no fence is needed. A slot of zeros is
// empty.
#pragma once

#include "kernels/scan/scan_words.cuh"

namespace gpuarray {

inline constexpr uint32_t kSlotEmpty = 0;
inline constexpr uint32_t kSlotAggregate = 1;  // the total of one tile or group
inline constexpr uint32_t kSlotPrefix = 2;     // the total of all tiles or groups up to it

// Stores and loads of eight bytes at once, with relaxed order at the scope of the device.
__device__ inline void store_relaxed(uint64_t* target, uint64_t value) {
#ifdef __CUDA_ARCH__
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(target), "l"(value) : "memory");
#else
  *target = value;
#endif
}
__device__ inline uint64_t load_relaxed(const uint64_t* source) {
#ifdef __CUDA_ARCH__
  uint64_t value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(source) : "memory");
  return value;
#else
  return *source;
#endif
}

// Gives access to a table of slots for values of type T, in memory that the caller owns.
template <class T>
struct Slots {
  static constexpr int size = Words<T>::count;  // words of 8 bytes of a slot
  uint64_t* first;

  // Writes a value and its flag, which is not kSlotEmpty.
  __device__ void publish(int64_t slot, const T& value, uint32_t flag) const {
    const Words<T> words(value);
#pragma unroll
    for (int k = 0; k < size; ++k)
      store_relaxed(first + slot * size + k, uint64_t(flag) << 32 | words.word[k]);
  }
  // Returns the flag of the slot without waiting, and sets `value` if the flag is not kSlotEmpty.
  __device__ uint32_t look(int64_t slot, T& value) const {
    Words<T> words;
    uint32_t flag = 0;
    bool whole = true;
#pragma unroll
    for (int k = 0; k < size; ++k) {
      const uint64_t found = load_relaxed(first + slot * size + k);
      words.word[k] = uint32_t(found);
      if (k == 0) flag = uint32_t(found >> 32);
      whole &= flag == uint32_t(found >> 32);
    }
    value = words.value();
    return whole ? flag : kSlotEmpty;
  }
  // Waits until the slot is not empty; returns its flag and sets `value`.
  __device__ uint32_t await(int64_t slot, T& value) const {
    uint32_t flag;
    do flag = look(slot, value);
    while (flag == kSlotEmpty);
    return flag;
  }
};

}  // namespace gpuarray
