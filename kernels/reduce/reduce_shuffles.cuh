// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Moves the accumulators of arg-extremes, averages and reductions that pass over NaN between lanes
// (reduce_lanes.cuh).
#pragma once

#include "kernels/reduce/reduce_arg.cuh"
#include "kernels/reduce/reduce_lanes.cuh"
#include "kernels/reduce/reduce_moments.cuh"
#include "kernels/reduce/reduce_nan.cuh"

namespace gpuarray {

template <class A>
__device__ Moments<A> shuffle_down(Moments<A> value, uint32_t distance) {
  return {shuffle_down(value.shift, distance), shuffle_down(value.offset, distance),
          shuffle_down(value.squares, distance), shuffle_down(value.count, distance)};
}
template <class A, class Count>
__device__ Counted<A, Count> shuffle_down(Counted<A, Count> value, uint32_t distance) {
  return {shuffle_down(value.sum, distance), shuffle_down(value.count, distance)};
}
template <class T, class Index>
__device__ Indexed<T, Index> shuffle_down(Indexed<T, Index> value, uint32_t distance) {
  return {shuffle_down(value.value, distance), shuffle_down(value.index, distance)};
}

}  // namespace gpuarray
