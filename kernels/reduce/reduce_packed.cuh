// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Operations on the four one-byte elements of a 32-bit word at once.
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// Returns `total` plus the four bytes of `word`, which are signed if Total is.
template <class Total>
GPUARRAY_HD Total add_bytes(Total total, uint32_t word) {
#ifdef __CUDA_ARCH__
  Total sum;
  if constexpr (is_signed_v<Total>)
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(word), "r"(0x01010101), "r"(total));
  else
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(word), "r"(0x01010101), "r"(total));
  return sum;
#else
  using Byte = choose_t<is_signed_v<Total>, int8_t, uint8_t>;
  for (int shift = 0; shift < 32; shift += 8) total += Byte(word >> shift);
  return total;
#endif
}

// Returns a word whose bytes are 1 where those of `word` are not 0, and else 0.
GPUARRAY_HD uint32_t nonzero_bytes(uint32_t word) {
  return (((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) >> 7 & 0x01010101u;
}

// Returns a nonzero word if any byte of `word` is 0, and else 0.
GPUARRAY_HD uint32_t zero_bytes(uint32_t word) {
  return (word - 0x01010101u) & ~word & 0x80808080u;
}

}  // namespace gpuarray
