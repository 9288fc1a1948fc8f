// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Copies of the triangles of matrices, which read only the vectors that have an element of them.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/element/inputs.cuh"
#include "kernels/elementwise/triangle_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

// Returns which elements of a vector stay: bit i stands for element at + i.
template <int Count>
__device__ uint32_t triangle_mask(const TriangleParams& p, uint32_t at) {
  uint32_t row = p.columns.divide(at);
  uint32_t column = at - row * p.columns.divisor;
  row -= p.rows.divide(row) * p.rows.divisor;
  if (column + Count <= p.columns.divisor) {
    const int32_t lower = min(max(p.offset - int32_t(column - row) + 1, 0), Count);
    const uint32_t mask = (1u << lower) - 1;
    return p.upper ? ~mask & ((1u << Count) - 1) : mask;
  }
  uint32_t mask = 0;
#pragma unroll 1
  for (int i = 0; i < Count; ++i) {
    const bool lower = int32_t(column - row) <= p.offset;
    if (lower != bool(p.upper)) mask |= 1u << i;
    if (++column == p.columns.divisor) {
      column = 0;
      if (++row == p.rows.divisor) row = 0;
    }
  }
  return mask;
}

// Copies the elements of one triangle of each matrix, and sets the others to zero. Blocks have
// kTriangleBlock threads, each of which takes kTriangleRounds vectors.
template <class Word>
__device__ void triangle_kernel(const TriangleParams& p) {
  wait_for_previous_grid();
  constexpr int kCount = vector_width<Word>;
  using Vector = Vec<Word, kCount>;
  const auto* source = static_cast<const Word*>(p.source);
  auto* target = static_cast<Word*>(p.target);
  Vector vectors[kTriangleRounds];
  uint32_t masks[kTriangleRounds];
  const int64_t first = int64_t(blockIdx.x) * (kTriangleBlock * kTriangleRounds) + threadIdx.x;
#pragma unroll
  for (int round = 0; round < kTriangleRounds; ++round) {
    const int64_t at = (first + round * kTriangleBlock) * kCount;
    if (at >= p.size) continue;
    masks[round] = triangle_mask<kCount>(p, uint32_t(at));
    if (at + kCount <= p.size && masks[round] != 0)
      vectors[round] = *reinterpret_cast<const Vector*>(source + at);
  }
#pragma unroll
  for (int round = 0; round < kTriangleRounds; ++round) {
    const int64_t at = (first + round * kTriangleBlock) * kCount;
    if (at >= p.size) continue;
    if (at + kCount <= p.size) {
#pragma unroll
      for (int i = 0; i < kCount; ++i)
        if (!(masks[round] >> i & 1)) vectors[round].items[i] = Word{};
      store(target + at, vectors[round]);
    } else {  // the last elements, which fill no vector
      for (int i = 0; at + i < p.size; ++i)
        target[at + i] = masks[round] >> i & 1 ? source[at + i] : Word{};
    }
  }
}

}  // namespace gpuarray
