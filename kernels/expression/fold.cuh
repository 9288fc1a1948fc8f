// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the compiled source of a user's reduction or scan includes on cuda.
#pragma once

#include "kernels/expression/fold_ops.cuh"
#include "kernels/reduce/neighbours.cuh"
#include "kernels/reduce/reduce.cuh"
#include "kernels/scan/scan_rows.cuh"

namespace gpuarray {

// The mapped elements of contiguous arrays, of which Map's are read by vectors (see has_packs).
template <class Map>
struct PackedElements {
  template <int count>
  using Loaded = typename Map::template GpuarrayLoads<count>;
  static constexpr int pack = Map::gpuarray_pack;

  const typename Map::GpuarrayGiven& constants;
  int64_t place;  // of the first element

  __device__ bool is_aligned() const { return Map::gpuarray_is_aligned(constants); }
  __device__ PackedElements operator+(int64_t offset) const { return {constants, place + offset}; }
  template <int count>
  __device__ auto load(int64_t at) const {
    return Map::template gpuarray_load<count>(constants, place + at);
  }
  template <class Operands>
  __device__ auto compute(const Operands& loaded, int k) const {
    return Map::gpuarray_map(constants, loaded, k, place + k);
  }
  __device__ auto operator[](int64_t at) const { return (*this + at).compute(load<1>(at), 0); }
};

// Returns the value of the lane `distance` above; all lanes of the warp must call it.
template <class T>
__device__ Maybe<T> shuffle_down(Maybe<T> value, uint32_t distance) {
  return {shuffle_down(value.value, distance), shuffle_down(value.any, distance)};
}

}  // namespace gpuarray
