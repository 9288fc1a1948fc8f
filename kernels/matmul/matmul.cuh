// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The matrix product for every dtype and any strides. Each block computes tiles of the target from
// slices of both operands in shared memory, and each thread Each x Each elements of a tile.
#pragma once

#include "kernels/element/cast.cuh"
#include "kernels/element/grid.cuh"
#include "kernels/element/inputs.cuh"
#include "kernels/element/layout.cuh"
#include "kernels/element/math.cuh"
#include "kernels/matmul/matmul_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

// A slice of one operand in shared memory: `Side` rows of a or columns of b, and kMatmulDepth
// elements along k, with a padding element against bank conflicts.
template <class C, int Side>
using MatmulTile = C[kMatmulDepth][Side + 1];

// One operand as tiles see it: an axis that it shares with the target, and the axis k. Steps count
// elements.
template <class T>
struct MatmulOperand {
  const stored_t<T>* data;
  int64_t count;       // elements along the target's axis
  int64_t step;        // along the target's axis
  int64_t depth_step;  // along k
};

// Loads a slice of an operand, with zeros outside of the operand. Neighbouring threads read
// neighbours in memory if either axis is contiguous. The caller must synchronise the block before
// anyone uses it.
template <class C, int Side, class T>
__device__ void load_tile(MatmulTile<C, Side>& tile, const MatmulOperand<T>& from, int64_t begin,
                          int64_t depth_begin, int64_t depth_count) {
  const bool along_depth = from.depth_step == 1;
#pragma unroll
  for (int i = threadIdx.x; i < Side * kMatmulDepth; i += kMatmulBlock) {
    const int side = along_depth ? i / kMatmulDepth : i % Side;
    const int depth = along_depth ? i % kMatmulDepth : i / Side;
    const int64_t at = begin + side, k = depth_begin + depth;
    tile[depth][side] = at < from.count && k < depth_count
                            ? cast<C>(from.data[at * from.step + k * from.depth_step])
                            : cast<C>(false);
  }
}

// Sets target to total, alpha * total, or alpha * total + beta * target, as the parameters say.
template <class T, class C>
__device__ void store_scaled(const MatmulParams& p, stored_t<T>& target, C total) {
  if (p.scaled) {
    total = math::multiply(read_scalar<C>(p.alpha), total);
    if (p.accumulates)
      total = math::add(total, math::multiply(read_scalar<C>(p.beta), cast<C>(target)));
  }
  target = cast<T>(total);
}

// Computes the tile of the target that begins at `row` and `column`. Sums run over k in ascending
// order, in the type that T is computed in. All threads of the block must call it.
template <int Each, class T>
__device__ void matmul_tile(const MatmulParams& p, stored_t<T>* target, const MatmulOperand<T>& a,
                            const MatmulOperand<T>& b, int64_t row, int64_t column) {
  using C = compute_t<T>;
  constexpr int kSide = kMatmulSide * Each;
  __shared__ MatmulTile<C, kSide> a_tile, b_tile;
  const int x = threadIdx.x % kMatmulSide, y = threadIdx.x / kMatmulSide;
  C totals[Each][Each];
  for (auto& line : totals)
    for (C& total : line) total = cast<C>(false);
  for (int64_t begin = 0; begin < p.k; begin += kMatmulDepth) {
    load_tile<C, kSide>(a_tile, a, row, begin, p.k);
    load_tile<C, kSide>(b_tile, b, column, begin, p.k);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kMatmulDepth; ++k) {
      C rows[Each], columns[Each];
      for (int i = 0; i < Each; ++i) rows[i] = a_tile[k][y + i * kMatmulSide];
      for (int j = 0; j < Each; ++j) columns[j] = b_tile[k][x + j * kMatmulSide];
      for (int i = 0; i < Each; ++i)
        for (int j = 0; j < Each; ++j)
          totals[i][j] = math::add(totals[i][j], math::multiply(rows[i], columns[j]));
    }
    __syncthreads();
  }
  for (int i = 0; i < Each; ++i)
    for (int j = 0; j < Each; ++j) {
      const int64_t m = row + y + i * kMatmulSide, n = column + x + j * kMatmulSide;
      if (m < p.m && n < p.n)
        store_scaled<T>(p, target[m * p.strides[0][0] + n * p.strides[0][1]], totals[i][j]);
    }
}

// Computes the product of every batch. Blocks have kMatmulBlock threads and loop over the tiles, so
// that any grid works.
template <class T, int Each>
__device__ void matmul_kernel(const MatmulParams& p) {
  wait_for_previous_grid();
  constexpr int64_t kSide = kMatmulSide * Each;
  const int64_t row_tiles = (p.m + kSide - 1) / kSide;
  const int64_t column_tiles = (p.n + kSide - 1) / kSide;
  const int64_t tiles = p.batches * row_tiles * column_tiles;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    int64_t at[3];
    const int64_t rest = tile / column_tiles;
    find_offsets(rest / row_tiles, false, p.batch_ndim, p.batch_shape, p.batch_strides, at);
    const auto* a = static_cast<const stored_t<T>*>(p.data[1]) + at[1];
    const auto* b = static_cast<const stored_t<T>*>(p.data[2]) + at[2];
    matmul_tile<Each, T>(p, static_cast<stored_t<T>*>(p.data[0]) + at[0],
                         {a, p.m, p.strides[1][0], p.strides[1][1]},
                         {b, p.n, p.strides[2][1], p.strides[2][0]}, rest % row_tiles * kSide,
                         tile % column_tiles * kSide);
  }
}

}  // namespace gpuarray
