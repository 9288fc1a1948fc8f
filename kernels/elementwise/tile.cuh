// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Element-wise operations with transposed operands, turned in shared memory tile by tile so that
// every operand is read along its own fast axis (Ruetsch and Micikevicius, 2009).
#pragma once

#include "kernels/elementwise/rows.cuh"

namespace gpuarray {

constexpr int kTileRows = kTileBlock / kTile;  // that the block covers at once
constexpr int kTileRounds = kTile / kTileRows;

// One tile of each operand as tile[column][across], padded against bank conflicts.
template <class... In>
struct Tiles {};
template <class T, class... Rest>
struct Tiles<T, Rest...> {
  stored_t<T> own[kTile][kTile + 1];
  Tiles<Rest...> rest;
};

template <int Operands>
struct TilePlace {
  const TileParams<Operands>& p;
  const uint32_t turned;  // p.turned
  int x, y;
  int64_t columns, across;    // left from the tile's first element on
  int64_t origins[Operands];  // of that element

  // Neighbouring blocks take a group of tiles along `across`, then step along the columns, so that
  // both directions use what is open in memory.
  __device__ TilePlace(const TileParams<Operands>& params, uint32_t turned_operands)
      : p(params), turned(turned_operands) {
    x = threadIdx.x % kTile;
    y = threadIdx.x / kTile;
    const uint32_t strip = blockIdx.x >> p.log_group;
    const uint32_t group = p.column_tiles.divide(strip);
    const uint32_t outer = p.across_groups.divide(group);
    const int64_t column = int64_t(strip - group * p.column_tiles.divisor) * kTile;
    const uint32_t tile = ((group - outer * p.across_groups.divisor) << p.log_group) +
                          (blockIdx.x & ((1u << p.log_group) - 1));
    const int64_t at = int64_t(tile) * kTile;
    columns = p.columns - column;
    across = p.across - at;
#pragma unroll
    for (int k = 0; k < Operands; ++k) origins[k] = column * p.steps[k] + at * p.across_steps[k];
    add_outer(p.outer, outer, origins);
  }
  __device__ bool full() const { return columns >= kTile && across >= kTile; }
};

// Operands K, K + 1, ...: those turned go through shared memory, the others to registers.
template <bool full, int K, int Operands>
__device__ void read_turned(const TilePlace<Operands>&, Tiles<>&) {}

template <bool full, int K, int Operands, class T, class... Rest>
__device__ void read_turned(const TilePlace<Operands>& place, Tiles<T, Rest...>& tiles) {
  const auto& p = place.p;
  if (place.turned >> K & 1) {
    const auto* source = static_cast<const stored_t<T>*>(p.data[K]) + place.origins[K] +
                         place.y * p.steps[K] + place.x * p.across_steps[K];
    const int64_t step = p.steps[K] * kTileRows;
    stored_t<T> values[kTileRounds];
#pragma unroll
    for (int round = 0; round < kTileRounds; ++round) {
      if (full || (place.x < place.across && place.y + round * kTileRows < place.columns))
        values[round] = source[round * step];
    }
#pragma unroll
    for (int round = 0; round < kTileRounds; ++round)
      tiles.own[place.y + round * kTileRows][place.x] = values[round];
  }
  read_turned<full, K + 1>(place, tiles.rest);
}

template <bool full, int K, int Operands>
__device__ void read_straight(const TilePlace<Operands>&, Inputs<kTileRounds, K>&) {}

template <bool full, int K, int Operands, class T, class... Rest>
__device__ void read_straight(const TilePlace<Operands>& place,
                              Inputs<kTileRounds, K, T, Rest...>& inputs) {
  const auto& p = place.p;
  if (p.data[K] == nullptr) {
    splat(inputs.own, read_scalar<stored_t<T>>(p.scalars[K]));
  } else if (!(place.turned >> K & 1)) {
    const auto* source = static_cast<const stored_t<T>*>(p.data[K]) + place.origins[K] +
                         place.x * p.steps[K] + place.y * p.across_steps[K];
    const int64_t step = p.across_steps[K] * kTileRows;
#pragma unroll
    for (int round = 0; round < kTileRounds; ++round)
      if (full || (place.x < place.columns && place.y + round * kTileRows < place.across))
        inputs.own.items[round] = source[round * step];
  }
  read_straight<full, K + 1>(place, inputs.rest);
}

template <int K>
__device__ void take_turned(uint32_t, const Tiles<>&, int, int, Inputs<kTileRounds, K>&) {}

template <int K, class T, class... Rest>
__device__ void take_turned(uint32_t turned, const Tiles<T, Rest...>& tiles, int x, int y,
                            Inputs<kTileRounds, K, T, Rest...>& inputs) {
  if (turned >> K & 1) {
#pragma unroll
    for (int round = 0; round < kTileRounds; ++round)
      inputs.own.items[round] = tiles.own[x][y + round * kTileRows];
  }
  take_turned<K + 1>(turned, tiles.rest, x, y, inputs.rest);
}

template <bool full, class Function, class Out, class... In>
__device__ void tile_body(const TilePlace<1 + sizeof...(In)>& place, Tiles<In...>& tiles) {
  const auto& p = place.p;
  Inputs<kTileRounds, 1, In...> inputs;
  read_turned<full, 1>(place, tiles);
  read_straight<full, 1>(place, inputs);
  __syncthreads();
  take_turned<1>(place.turned, tiles, place.x, place.y, inputs);
  Out* target = static_cast<Out*>(p.data[0]) + place.origins[0] + place.x * p.steps[0] +
                place.y * p.across_steps[0];
  const int64_t step = p.across_steps[0] * kTileRows;
#pragma unroll
  for (int round = 0; round < kTileRounds; ++round)
    if (full || (place.x < place.columns && place.y + round * kTileRows < place.across))
      target[round * step] = inputs.template evaluate<Function>(round);
}

// For launches whose p.turned is `turned`: half the time to compile, which counts at run time.
template <class Function, class Out, class... In>
__device__ void tile_kernel(const TileParams<1 + sizeof...(In)>& p, uint32_t turned) {
  wait_for_previous_grid();
  __shared__ Tiles<In...> tiles;
  const TilePlace<1 + sizeof...(In)> place(p, turned);
  if (place.full())
    tile_body<true, Function, Out, In...>(place, tiles);
  else
    tile_body<false, Function, Out, In...>(place, tiles);
}

template <class Function, class Out, class... In>
__device__ void tile_kernel(const TileParams<1 + sizeof...(In)>& p) {
  tile_kernel<Function, Out, In...>(p, p.turned);
}

}  // namespace gpuarray
