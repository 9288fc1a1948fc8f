// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Operands of reductions that compute their elements.
#pragma once

#include "kernels/element/inputs.cuh"

namespace gpuarray {

// `count` neighbouring elements of an operand in registers. If they are aligned to their bytes, or
// to 16, they are read by vectors.
template <class T, int count, bool is_aligned>
class Neighbours {
  static constexpr int most = 16 / sizeof(T), width = !is_aligned ? 1 : count < most ? count : most;
  Vec<stored_t<T>, width> parts_[count / width];

 public:
  Neighbours() = default;
  __device__ explicit Neighbours(const stored_t<T>* source) {
#pragma unroll
    for (int k = 0; k < count / width; ++k)
      parts_[k] = reinterpret_cast<const Vec<stored_t<T>, width>*>(source)[k];
  }
  __device__ T operator[](int k) const { return parts_[k / width].items[k % width]; }
};

}  // namespace gpuarray
