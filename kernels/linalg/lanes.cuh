// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Matrices in shared memory, each of which a warp or a part of one computes. Lane i holds what
// belongs to row or column i. All lanes of a warp call all functions together.
#pragma once

#include "kernels/linalg/matrix_access.cuh"

namespace gpuarray::linalg {

inline constexpr unsigned kAllLanes = 0xffffffff;

// Return the value of a lane of the group of L.
template <int L, class T>
__device__ T from_lane(T value, int lane) {
  if constexpr (is_complex_v<T>)
    return {from_lane<L>(value.re, lane), from_lane<L>(value.im, lane)};
  else
    return __shfl_sync(kAllLanes, value, lane, L);
}

// Combines the values of a group; all its lanes get the result.
template <int L, class T, class Combine>
__device__ T over_lanes(T value, int lane, const Combine& combine) {
#pragma unroll
  for (int distance = L / 2; distance > 0; distance /= 2)
    value = combine(value, from_lane<L>(value, lane ^ distance));
  return value;
}

// A matrix of at most L rows and columns in shared memory. Lanes reach rows and columns without
// bank conflicts.
template <class T, int L>
struct Shared {
  static constexpr int kSize = L * (L + 1);
  T* data;

  __device__ T& operator()(int row, int column) const { return data[row * (L + 1) + column]; }
};

// Calls move(row, column) for the elements of an m x n matrix, of which each lane takes some, in
// the order of the operand's memory.
template <int L, class Move>
__device__ void for_elements(const SmallMatrixOperand& of, int m, int n, int lane,
                             const Move& move) {
  const bool by_columns = of.order == SmallMatrixOrder::columns;
  const int inner = by_columns ? m : n, count = m * n;
  int i = lane / inner, j = lane % inner;
  for (int element = lane; element < count; element += L) {
    if (by_columns)
      move(j, i);
    else
      move(i, j);
    for (j += L; j >= inner; j -= inner) ++i;
  }
}

// Reads an m x n matrix.
template <class T, int L>
__device__ void load_lanes(const SmallMatrixParams& p, const SmallMatrixOperand& from,
                           int64_t matrix, int m, int n, int lane, Shared<T, L> to) {
  const T* data = matrix_data<T>(p, from, matrix);
  __syncwarp();
  for_elements<L>(from, m, n, lane, [&](int row, int column) {
    to(row, column) =
        conjugate_if(p.conjugated, data[row * from.strides[0] + column * from.strides[1]]);
  });
  __syncwarp();
}

// Writes an m x n matrix, whose elements are value(row, column), where `active`.
template <int L, class T, class Value>
__device__ void store_lanes(const SmallMatrixParams& p, const SmallMatrixOperand& to,
                            int64_t matrix, int m, int n, int lane, bool active,
                            const Value& value) {
  __syncwarp();
  if (active && to.data != nullptr) {
    T* data = matrix_data<T>(p, to, matrix);
    for_elements<L>(to, m, n, lane, [&](int row, int column) {
      data[row * to.strides[0] + column * to.strides[1]] = value(row, column);
    });
  }
  __syncwarp();
}

}  // namespace gpuarray::linalg
