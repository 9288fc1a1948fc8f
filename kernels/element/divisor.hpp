// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Division by a number that is the same for a whole launch, through multiplication (Granlund and
// Montgomery, 1994).
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// Divides any n < 2^31 by a divisor with 0 < divisor < 2^31.
struct Divisor {
  uint32_t divisor;
  uint32_t multiplier;
  uint32_t shift;

  GPUARRAY_HD static Divisor of(uint32_t divisor) {
    uint32_t shift = 0;
    while ((uint64_t(1) << shift) < divisor) ++shift;
    uint64_t excess = (uint64_t(1) << shift) - divisor;
    return {divisor, uint32_t((excess << 32) / divisor + 1), shift};
  }

#ifdef __CUDACC__
  __device__ uint32_t divide(uint32_t n) const { return (__umulhi(n, multiplier) + n) >> shift; }
#else
  uint32_t divide(uint32_t n) const {
    return (uint32_t((uint64_t(n) * multiplier) >> 32) + n) >> shift;
  }
#endif
};

}  // namespace gpuarray
