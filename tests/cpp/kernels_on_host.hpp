// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
// Compiles the text of the element-wise kernels as functions of the host, and runs them thread by
// thread.
#pragma once

#include <algorithm>
#include <cstring>

#include "backend/cuda/walk_parameters.hpp"
#include "check.hpp"
#include "runtime/launch/kernel.hpp"

namespace gpuarray {

struct Index3 {
  uint32_t x, y, z;
};
inline Index3 threadIdx;
inline Index3 blockIdx;
inline Index3 gridDim;
inline void __syncthreads() {}

}  // namespace gpuarray

#define __device__
#define __shared__ static
#include "kernels/elementwise/flat.cuh"
#include "kernels/elementwise/merged.cuh"
#include "kernels/elementwise/rows.cuh"
#include "kernels/elementwise/tile.cuh"
#undef __shared__
#undef __device__

namespace gpuarray {

// Every thread of a block runs twice, so that the second time it finds in shared memory what all
// the others have put there, as after a barrier. `second` is called in between.
template <class Kernel, class Second>
void run_block(uint32_t block, uint32_t threads, Kernel&& kernel, Second&& second) {
  blockIdx.x = block;
  for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x) kernel();
  second();
  for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x) kernel();
}

template <class T>
uint64_t bits(const T& value) {
  uint64_t words[2] = {};
  std::memcpy(words, &value, sizeof value);
  return words[0] + 5 * words[1];
}

inline int64_t evaluated = 0;

// Computes a result from which the operands and their order can be told.
template <class Out>
struct Mix {
  template <class... In>
  static Out apply(In... in) {
    ++evaluated;
    uint64_t total = 11;
    ((total = total * 31 + bits(in)), ...);
    const uint64_t words[2] = {total, total};
    Out out;
    std::memcpy(&out, words, sizeof out);
    return out;
  }
};

// Calls the kernel whose template argument is the mask of operands that are turned.
template <uint32_t turned, class Out, class... In>
void run_tile(const TileParams<1 + sizeof...(In)>& params, uint32_t mask) {
  if constexpr (turned < 2u << sizeof...(In)) {
    if (mask == turned) return tile_kernel<turned, Mix<Out>, Out, In...>(params);
    run_tile<turned + 2, Out, In...>(params, mask);
  }
}

// Calls the kernel whose template argument is the mask of operands that are read by vectors.
template <uint32_t vectors, class Out, class... In>
void run_merged(const MergedParams<1 + sizeof...(In)>& params, uint32_t mask) {
  if constexpr (vectors < 2u << sizeof...(In)) {
    if (mask == vectors) return merged_kernel<vectors, Mix<Out>, Out, In...>(params);
    run_merged<vectors + 2, Out, In...>(params, mask);
  }
}

// Returns the block that the host has written.
template <class Block>
const Block& block(paths::Parameters& params) {
  return *static_cast<const Block*>(params.data());
}

// Runs the blocks of a plan on its path, or the last `last_blocks` of them, and sets `evaluated`.
template <class Out, class... In>
void run_path(Path path, const ElementwisePlan& plan, uint32_t last_blocks = 0) {
  constexpr int kOperands = 1 + sizeof...(In);
  paths::Parameters params;
  const auto [shape, variant] = paths::fill(params, paths::operands_of(plan), path);
  CHECK(shape.grid[0] > 0 && shape.grid[0] < uint32_t{1} << 31 && shape.block[0] <= 1024);
  const auto kernel = [&, &variant = variant] {
    if (path == Path::flat) flat_kernel<Mix<Out>, Out, In...>(block<FlatParams<kOperands>>(params));
    if (path == Path::rows) rows_kernel<Mix<Out>, Out, In...>(block<RowsParams<kOperands>>(params));
    if (path == Path::tile)
      run_tile<2, Out, In...>(block<TileParams<kOperands>>(params), variant.turned);
    if (path == Path::merged)
      run_merged<1, Out, In...>(block<MergedParams<kOperands>>(params), variant.vector_operands);
  };
  const uint32_t first_block =
      last_blocks == 0 ? 0 : shape.grid[0] - std::min(shape.grid[0], last_blocks);
  int64_t counted = 0, before = 0;
  for (uint32_t block = first_block; block < shape.grid[0]; ++block) {
    run_block(block, shape.block[0], kernel, [&] { before = evaluated; });
    counted += evaluated - before;
  }
  evaluated = counted;
}

// Returns the offset of the element with this index in C order.
inline int64_t offset_at(int64_t index, const Shape& shape, const Strides& strides) {
  int64_t offset = 0;
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    offset += index % shape[axis] * strides[axis];
    index /= shape[axis];
  }
  return offset;
}

}  // namespace gpuarray
