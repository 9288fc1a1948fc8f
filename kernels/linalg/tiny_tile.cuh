// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Matrices that single threads hold in registers, on their way from and to memory: a block moves
// those of its threads in the order of memory, through shared memory.
#pragma once

#include "kernels/linalg/matrix_access.cuh"
#include "kernels/tuning.hpp"

namespace gpuarray::linalg {

// A matrix in registers, whose indices are constants once loops are unrolled.
template <class T, int Rows, int Columns>
struct Tiny {
  T at[Rows][Columns];
};

// The elements between matrices in shared memory: an odd number, against bank conflicts.
template <int Rows, int Columns>
inline constexpr int kTinyPitch = (Rows * Columns) | 1;

// The number of elements that a block holds in shared memory for its matrices.
template <int Rows, int Columns>
inline constexpr int kTinyTile = kTinyBlock * kTinyPitch<Rows, Columns>;

// Calls move(element, place) for all elements of the block's matrices, which follow each other in
// memory; the elements of each lie by columns if `by_columns`. The place is that in shared memory.
template <bool by_columns, int Rows, int Columns, class Move>
__device__ void for_dense(const Move& move) {
  constexpr int size = Rows * Columns;
#pragma unroll
  for (int i = 0; i < size; ++i) {
    const int element = int(threadIdx.x) + i * kTinyBlock;
    const int matrix = element / size, rest = element % size;
    const int index = by_columns ? rest % Rows * Columns + rest / Rows : rest;
    move(element, matrix * kTinyPitch<Rows, Columns> + index);
  }
}

// Calls move(matrix, row, column) for all elements of the block's matrices in the order.
template <int Rows, int Columns, class Move>
__device__ void for_strided(SmallMatrixOrder order, const Move& move) {
  constexpr int size = Rows * Columns;
#pragma unroll 1
  for (int i = 0; i < size; ++i) {
    const int element = int(threadIdx.x) + i * kTinyBlock;
    const int matrix = element / size, rest = element % size;
    if (order == SmallMatrixOrder::rows)
      move(matrix, rest / Columns, rest % Columns);
    else if (order == SmallMatrixOrder::columns)
      move(matrix, rest % Rows, rest / Rows);
    else
      move(int(threadIdx.x), i / Columns, i % Columns);
  }
}

// Reads `columns` columns from `begin` on of the block's matrices, of which `first` is the first.
// What lies outside is 0. All threads of the block must call it.
template <class T, int Rows, int Columns>
__device__ void load_tiny(const SmallMatrixParams& p, const SmallMatrixOperand& from, int64_t first,
                          T* shared, Tiny<T, Rows, Columns>& values, int begin = 0,
                          int columns = Columns) {
  __syncthreads();
  if (from.dense) {
    const T* data = static_cast<const T*>(from.data) + first * (Rows * Columns);
    const int64_t left = (p.matrices - first) * (Rows * Columns);
    auto move = [&](int element, int place) {
      shared[place] = element < left ? data[element] : T(0);
    };
    if (from.order == SmallMatrixOrder::rows)
      for_dense<false, Rows, Columns>(move);
    else
      for_dense<true, Rows, Columns>(move);
  } else {
    for_strided<Rows, Columns>(from.order, [&](int matrix, int row, int column) {
      const bool inside = first + matrix < p.matrices && column < columns;
      shared[matrix * kTinyPitch<Rows, Columns> + row * Columns + column] =
          inside ? *element_of<T>(p, from, first + matrix, row, begin + column) : T(0);
    });
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < Rows * Columns; ++i)
    values.at[i / Columns][i % Columns] = shared[int(threadIdx.x) * kTinyPitch<Rows, Columns> + i];
}

// Writes `columns` columns, from `begin` on, of the block's matrices. All threads of the block must
// call it.
template <class T, int Rows, int Columns>
__device__ void store_tiny(const SmallMatrixParams& p, const SmallMatrixOperand& to, int64_t first,
                           T* shared, const Tiny<T, Rows, Columns>& values, int begin = 0,
                           int columns = Columns) {
  __syncthreads();
#pragma unroll
  for (int i = 0; i < Rows * Columns; ++i)
    shared[int(threadIdx.x) * kTinyPitch<Rows, Columns> + i] = values.at[i / Columns][i % Columns];
  __syncthreads();
  if (to.dense) {
    T* data = static_cast<T*>(to.data) + first * (Rows * Columns);
    const int64_t left = (p.matrices - first) * (Rows * Columns);
    auto move = [&](int element, int place) {
      if (element < left) data[element] = shared[place];
    };
    if (to.order == SmallMatrixOrder::rows)
      for_dense<false, Rows, Columns>(move);
    else
      for_dense<true, Rows, Columns>(move);
  } else {
    for_strided<Rows, Columns>(to.order, [&](int matrix, int row, int column) {
      if (first + matrix < p.matrices && column < columns)
        *element_of<T>(p, to, first + matrix, row, begin + column) =
            shared[matrix * kTinyPitch<Rows, Columns> + row * Columns + column];
    });
  }
}

// Sets all elements.
template <class T, int Rows, int Columns>
__device__ void fill(Tiny<T, Rows, Columns>& values, T value) {
#pragma unroll
  for (int i = 0; i < Rows * Columns; ++i) values.at[i / Columns][i % Columns] = value;
}

template <class T, int N>
__device__ void set_identity(Tiny<T, N, N>& values) {
#pragma unroll
  for (int i = 0; i < N * N; ++i) values.at[i / N][i % N] = T(i / N == i % N ? 1 : 0);
}

// Conjugates all elements on a condition.
template <class T, int Rows, int Columns>
__device__ void conjugate_if(bool condition, Tiny<T, Rows, Columns>& values) {
#pragma unroll
  for (int i = 0; i < Rows * Columns; ++i)
    values.at[i / Columns][i % Columns] =
        conjugate_if(condition, values.at[i / Columns][i % Columns]);
}

// Returns the size of the largest part of all elements, or NaN if one is NaN.
template <class T, int Rows, int Columns>
__device__ real_t<T> largest_part(const Tiny<T, Rows, Columns>& values) {
  real_t<T> largest = 0;
#pragma unroll
  for (int i = 0; i < Rows * Columns; ++i)
    largest = larger_size(largest, largest_part(values.at[i / Columns][i % Columns]));
  return largest;
}

template <class T>
__device__ void swap_if(bool condition, T& a, T& b) {
  const T before = a;
  a = condition ? b : a;
  b = condition ? before : b;
}

}  // namespace gpuarray::linalg
