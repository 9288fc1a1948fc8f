// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// How kernels of small matrices find their elements in memory.
#pragma once

#include "kernels/element/layout.cuh"
#include "kernels/linalg/matrix_scalar.cuh"
#include "kernels/linalg/small_matrix_params.hpp"

namespace gpuarray::linalg {

// Returns the first element of matrix number `matrix` of the batch.
template <class T>
__device__ T* matrix_data(const SmallMatrixParams& p, const SmallMatrixOperand& of,
                          int64_t matrix) {
  T* data = static_cast<T*>(of.data);
  if (p.batch_ndim <= 1) return data + matrix * of.batch_strides[0];
  return data + offset_of(matrix, p.matrices, p.batch_ndim, p.batch_shape, of.batch_strides);
}

// Returns the address of an element of that matrix.
template <class T>
__device__ T* element_of(const SmallMatrixParams& p, const SmallMatrixOperand& of, int64_t matrix,
                         int row, int column) {
  return matrix_data<T>(p, of, matrix) + row * of.strides[0] + column * of.strides[1];
}

// Returns the element, or its conjugate on a condition.
template <class T>
__device__ T conjugate_if(bool condition, T element) {
  return is_complex_v<T> && condition ? math::conjugate(element) : element;
}

}  // namespace gpuarray::linalg
