// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Where the tiles of a scan meet: a slot holds a value in 32-bit words, each beside a flag in eight
// bytes that are written at once. A reader that finds one flag in all of them has the value, so
// that no fence is needed. A slot of zeros is empty.
#pragma once

#include "kernels/scan/scan_words.cuh"

namespace gpuarray {

inline constexpr uint32_t kSlotEmpty = 0;
inline constexpr uint32_t kSlotAggregate = 1;  // of its tile or group alone
inline constexpr uint32_t kSlotPrefix = 2;     // of all up to it

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

// The slots of one kind of value.
template <class T>
struct Slots {
  static constexpr int size = Words<T>::count;  // of 8 bytes
  uint64_t* first;

  __device__ void publish(int64_t slot, const T& value, uint32_t flag) const {
    const Words<T> words(value);
#pragma unroll
    for (int k = 0; k < size; ++k)
      store_relaxed(first + slot * size + k, uint64_t(flag) << 32 | words.word[k]);
  }
  // The flag of the slot, and its value if that is not kSlotEmpty.
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
  // Waits until it is not empty.
  __device__ uint32_t await(int64_t slot, T& value) const {
    uint32_t flag;
    do flag = look(slot, value);
    while (flag == kSlotEmpty);
    return flag;
  }
};

}  // namespace gpuarray
