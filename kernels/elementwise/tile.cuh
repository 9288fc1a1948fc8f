// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The tile walk: inputs that are transposed are turned in shared memory tile by tile, so that every
// operand is accessed along its own fast axis (Ruetsch and Micikevicius, 2009).
#pragma once

#include "kernels/elementwise/rows.cuh"

namespace gpuarray {

inline constexpr int kTileRows =
    kTileBlock / kTile;  // rows of a tile that the block covers at once
inline constexpr int kTileRounds = kTile / kTileRows;

// Operand K's tile as elements[column][across], padded against bank conflicts; nothing for operands
// that are not turned.
template <int K, bool is_turned, class T>
struct Tile {};
template <int K, class T>
struct Tile<K, true, T> {
  T elements[kTile][kTile + 1];
};

// The tiles of the operands K, K + 1, ..., of which those in `turned`, a mask of bits, are turned.
template <uint32_t turned, int K, class... T>
struct Tiles {};
template <uint32_t turned, int K, class T, class... Rest>
struct Tiles<turned, K, T, Rest...> : Tile<K, (turned >> K & 1) != 0, stored_t<without_const_t<T>>>,
                                      Tiles<turned, K + 1, Rest...> {};

// Where a thread's block stands: the parameters p and the tile.
template <class Params, int Operands>
struct TilePlace {
  const Params& p;
  int x, y;                   // the thread's position in the tile, along columns and across
  int64_t columns, across;    // left from the tile's first element on
  int64_t origins[Operands];  // offsets of that element

  // Neighbouring blocks take a group of tiles along `across`, then step along the columns, so that
  // both directions use what is open in memory.
  __device__ explicit TilePlace(const Params& params) : p(params) {
    const TileHead& head = p.head;
    x = threadIdx.x % kTile;
    y = threadIdx.x / kTile;
    const uint32_t strip = blockIdx.x >> head.log_group;
    const uint32_t group = head.column_tiles.divide(strip);
    const uint32_t outer = head.across_groups.divide(group);
    const int64_t column = int64_t(strip - group * head.column_tiles.divisor) * kTile;
    const uint32_t tile = ((group - outer * head.across_groups.divisor) << head.log_group) +
                          (blockIdx.x & ((1u << head.log_group) - 1));
    const int64_t at = int64_t(tile) * kTile;
    columns = head.columns - column;
    across = head.across - at;
#pragma unroll
    for (int k = 0; k < Operands; ++k) origins[k] = column * p.step(k) + at * p.across_step(k);
    add_tile(p, outer, origins);
  }
  __device__ bool full() const { return columns >= kTile && across >= kTile; }
  // Whether the tile has the thread's element of a round.
  __device__ bool holds(int round) const { return x < columns && y + round * kTileRows < across; }
};

template <int Operands>
__device__ void add_tile(const TileParams<Operands>& p, uint32_t outer,
                         int64_t (&offsets)[Operands]) {
  add_outer<false>(p.outer, outer, offsets);
}

// Reads the tiles of the operands K, K + 1, ... that are turned, along `across`.
template <bool full, uint32_t turned, int K, class Place>
__device__ void read_tiles(const Place&, Tiles<turned, K>&) {}

template <bool full, uint32_t turned, int K, class Place, class T, class... Rest>
__device__ void read_tiles(const Place& place, Tiles<turned, K, T, Rest...>& tiles) {
  if constexpr ((turned >> K & 1) != 0) {
    using Element = stored_t<without_const_t<T>>;
    Tile<K, true, Element>& tile = tiles;
    const auto& p = place.p;
    const auto* source = static_cast<const Element*>(p.operands.data[K]) + place.origins[K] +
                         place.y * p.step(K) + place.x * p.across_step(K);
    const int64_t step = p.step(K) * kTileRows;
    Element values[kTileRounds];
#pragma unroll
    for (int round = 0; round < kTileRounds; ++round)
      if (full || (place.x < place.across && place.y + round * kTileRows < place.columns))
        values[round] = source[round * step];
#pragma unroll
    for (int round = 0; round < kTileRounds; ++round)
      tile.elements[place.y + round * kTileRows][place.x] = values[round];
  }
  Tiles<turned, K + 1, Rest...>& rest = tiles;
  read_tiles<full>(place, rest);
}

// Reads the elements of the rounds `first`, ... of operands that are not turned.
template <bool full, uint32_t turned, class Place>
struct TileReader {
  const Place& place;
  int first;

  template <class T, int Count>
  __device__ void operator()(int k, Vec<T, Count>& vector) const {
    if (turned >> k & 1) return;
    const auto& p = place.p;
    if (fill_single(p.operands, k, vector)) return;
    const T* source = static_cast<const T*>(p.operands.data[k]) + place.origins[k] +
                      place.x * p.step(k) + place.y * p.across_step(k);
    const int64_t step = p.across_step(k) * kTileRows;
#pragma unroll
    for (int i = 0; i < Count; ++i)
      if (full || place.holds(first + i)) vector.items[i] = source[(first + i) * step];
  }
};

// Takes the elements of the rounds `first`, ... of the operands that are turned from their tiles.
template <uint32_t turned, int K, int Count, class Place>
__device__ void take_turned(const Place&, const Tiles<turned, K>&, int, Elements<Count, K>&) {}

template <uint32_t turned, int K, int Count, class Place, class T, class... Rest>
__device__ void take_turned(const Place& place, const Tiles<turned, K, T, Rest...>& tiles,
                            int first, Elements<Count, K, T, Rest...>& elements) {
  if constexpr ((turned >> K & 1) != 0) {
    const Tile<K, true, stored_t<without_const_t<T>>>& tile = tiles;
#pragma unroll
    for (int i = 0; i < Count; ++i)
      elements.own.items[i] = tile.elements[place.x][place.y + (first + i) * kTileRows];
  }
  const Tiles<turned, K + 1, Rest...>& rest = tiles;
  take_turned(place, rest, first, elements.rest);
}

// Writes element i of a round to the operands in `written`, a mask of bits.
template <uint32_t written, class Place>
struct TileWriter {
  const Place& place;
  int round, i;

  template <class T, int Count>
  __device__ void operator()(int k, const Vec<T, Count>& vector) const {
    if (!(written >> k & 1)) return;
    const auto& p = place.p;
    T* target = static_cast<T*>(p.operands.data[k]) + place.origins[k] + place.x * p.step(k) +
                place.y * p.across_step(k);
    target[round * (p.across_step(k) * kTileRows)] = vector.items[i];
  }
};

// Rounds that a thread reads together: all, or fewer where its registers hold no more.
template <class... T>
inline constexpr int tile_together =
    (0 + ... + int(sizeof(T))) <= kTileBytes       ? kTileRounds
    : (0 + ... + int(sizeof(T))) <= 2 * kTileBytes ? kTileRounds / 2
                                                   : 1;

template <bool full, uint32_t turned, class... T, class Place, class Body>
__device__ void tile_body(const Place& place, Tiles<turned, 0, T...>& tiles, Body& body) {
  constexpr int kTogether = tile_together<T...>;
  read_tiles<full>(place, tiles);
#pragma unroll
  for (int first = 0; first < kTileRounds; first += kTogether) {
    Elements<kTogether, 0, T...> elements;
    elements.for_each(TileReader<full, turned, Place>{place, first});
    if (first == 0) __syncthreads();
    take_turned(place, tiles, first, elements);
#pragma unroll
    for (int i = 0; i < kTogether; ++i) {
      if (!full && !place.holds(first + i)) continue;
      elements.visit(i, 0, body);
      elements.for_each(TileWriter<written_operands<T...>(), Place>{place, first + i, i});
    }
  }
}

// Calls body(0, element...) for each element of the operands T..., of which those in `turned`, a
// mask of bits, are read along `across`: inputs, never what is written. All threads of the block
// must call it.
template <uint32_t turned, class... T, class Params, class Body>
__device__ void walk_tile(const Params& p, Body body) {
  __shared__ Tiles<turned, 0, T...> tiles;
  const TilePlace<Params, sizeof...(T)> place(p);
  if (place.full())
    tile_body<true, turned, T...>(place, tiles, body);
  else
    tile_body<false, turned, T...>(place, tiles, body);
}

template <uint32_t turned, class Function, class Out, class... In>
__device__ void tile_kernel(const TileParams<1 + sizeof...(In)>& p) {
  wait_for_previous_grid();
  walk_tile<turned, Out, const In...>(p, Apply<Function>{});
}

// That of one input, which is the one turned.
template <class Function, class Out, class In>
__device__ void tile_kernel(const TileParams<2>& p) {
  tile_kernel<2, Function, Out, In>(p);
}

}  // namespace gpuarray
