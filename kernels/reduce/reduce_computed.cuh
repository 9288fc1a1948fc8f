// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the source of a reduction includes that computes its elements from other arrays instead of
// reading them. They have the places of the elements of one contiguous array, so that they are
// taken in the same order and give the same bits. The source defines two types:
// - one whose row(k) returns the elements of row k, as the second; a row is what an output reduces,
//   or if its constant are_columns is true has an element of each output;
// - one with + and [] as a pointer, whose `place` is the number of the first element, counted from
//   a boundary of 16 bytes, load<count>(i) reads the operands of elements i, i + 1, ... to a
//   Loaded<count>, and compute(loaded, k) of the object `i` elements on returns element i + k. A
//   load of a row has `pack` elements.
#pragma once

#include "kernels/element/functors.cuh"
#include "kernels/element/inputs.cuh"
#include "kernels/reduce/neighbours.cuh"
#include "kernels/reduce/reduce.cuh"
#include "kernels/reduce/reduce_converted.cuh"
#include "kernels/reduce/reduce_ops.cuh"

namespace gpuarray {

// An operand as a parameter of the kernel. Along a row its elements lie side by side, or there is
// one for the row.
template <class T>
struct ComputedOperand {
  const stored_t<T>* data;
  int64_t row_stride;  // elements

  __device__ const stored_t<T>* row(int64_t row) const { return data + row * row_stride; }
};

}  // namespace gpuarray
