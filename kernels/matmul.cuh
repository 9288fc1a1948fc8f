// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// A plain tiled product for every dtype: each block computes tiles of the target through shared
// memory.
#pragma once

#include "kernels/cast.cuh"
#include "kernels/grid.cuh"
#include "kernels/layout.cuh"
#include "kernels/math.cuh"
#include "kernels/tuning.hpp"

namespace gpuarray {

// The tile's element of one operand, zero outside.
template <class T>
__device__ compute_t<T> fetch(const T* data, const int64_t (&strides)[2], int64_t row, int64_t rows,
                              int64_t column, int64_t columns) {
  if (row >= rows || column >= columns) return cast<compute_t<T>>(false);
  return cast<compute_t<T>>(data[row * strides[0] + column * strides[1]]);
}

template <class T>
__device__ void matmul_tile(const MatmulParams& p, T* target, const T* a, const T* b, int64_t row,
                            int64_t column) {
  using C = compute_t<T>;
  __shared__ C a_tile[kMatmulTile][kMatmulTile + 1];
  __shared__ C b_tile[kMatmulTile][kMatmulTile + 1];
  int x = threadIdx.x, y = threadIdx.y;
  C total = cast<C>(false);
  for (int64_t begin = 0; begin < p.k; begin += kMatmulTile) {
    a_tile[y][x] = fetch(a, p.strides[1], row, p.m, begin + x, p.k);
    b_tile[y][x] = fetch(b, p.strides[2], begin + y, p.k, column, p.n);
    __syncthreads();
    for (int i = 0; i < kMatmulTile; ++i)
      total = math::add(total, math::multiply(a_tile[y][i], b_tile[i][x]));
    __syncthreads();
  }
  if (row < p.m && column < p.n)
    target[row * p.strides[0][0] + column * p.strides[0][1]] = cast<T>(total);
}

template <class T>
__device__ void matmul_kernel(const MatmulParams& p) {
  wait_for_previous_grid();
  int64_t row_tiles = (p.m + kMatmulTile - 1) / kMatmulTile;
  int64_t column_tiles = (p.n + kMatmulTile - 1) / kMatmulTile;
  int64_t tiles = p.batches * row_tiles * column_tiles;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    int64_t at[3];
    int64_t rest = tile / column_tiles;
    find_offsets(rest / row_tiles, false, p.batch_ndim, p.batch_shape, p.batch_strides, at);
    matmul_tile<T>(p, static_cast<T*>(p.data[0]) + at[0], static_cast<const T*>(p.data[1]) + at[1],
                   static_cast<const T*>(p.data[2]) + at[2],
                   rest % row_tiles * kMatmulTile + threadIdx.y,
                   tile % column_tiles * kMatmulTile + threadIdx.x);
  }
}

}  // namespace gpuarray
