// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The tile walk, for inputs that are transposed relative to the output. Each block takes a tile of
// kTile x kTile elements and transposes (turns) such inputs in shared memory, so that every operand
// is accessed along its own fast axis (Ruetsch and Micikevicius, 2009). Blocks have kTileBlock
// threads, and the grid has one for each tile.
#pragma once

#include "kernels/elementwise/rows.cuh"

namespace gpuarray {

// The rows of a tile that the block covers at once, and the rounds in which it covers all.
inline constexpr int kTileRows = kTileBlock / kTile;
inline constexpr int kTileRounds = kTile / kTileRows;

// Holds the tile of operand K in shared memory, as elements[column][across], with a padding element
// against bank conflicts. It is empty for operands that are not turned.
template <int K, bool is_turned, class T>
struct Tile {};
template <int K, class T>
struct Tile<K, true, T> {
  T elements[kTile][kTile + 1];
};

// Holds the tiles of the operands K, K + 1 and so on. Bit k of the mask `turned` is set if operand
// k is turned.
template <uint32_t turned, int K, class... T>
struct Tiles {};
template <uint32_t turned, int K, class T, class... Rest>
struct Tiles<turned, K, T, Rest...> : Tile<K, (turned >> K & 1) != 0, stored_t<without_const_t<T>>>,
                                      Tiles<turned, K + 1, Rest...> {};

// Says where a thread stands in the tile walk: the launch's parameters p, the tile of its block,
// and its position in the tile.
template <class Params, int Operands>
struct TilePlace {
  const Params& p;
  int x, y;                   // the thread's position in the tile, along columns and across
  int64_t columns, across;    // elements from the tile's first one to the end of each axis
  int64_t origins[Operands];  // offsets of the tile's first element

  // Neighbouring blocks take a group of tiles along `across` before they step along the columns, so
  // that the accesses of both directions stay within open pages of memory.
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
    add_outer<false>(p.outer, outer, origins);
  }
  // Returns whether the tile lies within both axes, so that no thread needs to check.
  __device__ bool full() const { return columns >= kTile && across >= kTile; }
  // Returns whether this thread's element of `round` lies within both axes.
  __device__ bool holds(int round) const { return x < columns && y + round * kTileRows < across; }
};

// Reads the tiles of the turned operands among K, K + 1, ... into shared memory; neighbouring
// threads read neighbours along `across`. The caller must synchronise the block before anyone uses
// them.
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

// Reads the elements of the rounds `first`, `first + 1`, ... of an operand that is not turned into
// a vector, one for each round; neighbouring threads read neighbours along the columns.
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

// Copies the elements of the rounds `first`, `first + 1`, ... of turned operands from shared memory
// to registers.
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

// Writes this thread's element of `round`, item i of the vector, if the operand's bit in the mask
// `written` is set.
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

// The number of rounds that a thread reads together: all, or fewer where its registers hold no
// more.
template <class... T>
inline constexpr int tile_together =
    (0 + ... + int(sizeof(T))) <= kTileBytes       ? kTileRounds
    : (0 + ... + int(sizeof(T))) <= 2 * kTileBytes ? kTileRounds / 2
                                                   : 1;

// Reads the tile, calls `body` for each of this thread's elements, and writes the results. All
// threads of the block must call it, with the same `full`.
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

// Calls body(0, element...) for each element of the operands T...; the index is not known. The mask
// `turned` holds the operands to transpose in shared memory, which must be inputs. All threads of
// the block must call it.
template <uint32_t turned, class... T, class Params, class Body>
__device__ void walk_tile(const Params& p, Body body) {
  __shared__ Tiles<turned, 0, T...> tiles;
  const TilePlace<Params, sizeof...(T)> place(p);
  if (place.full())
    tile_body<true, turned, T...>(place, tiles, body);
  else
    tile_body<false, turned, T...>(place, tiles, body);
}

// Sets each element of operand 0 to Function::apply of the elements of the others.
template <uint32_t turned, class Function, class Out, class... In>
__device__ void tile_kernel(const TileParams<1 + sizeof...(In)>& p) {
  wait_for_previous_grid();
  walk_tile<turned, Out, const In...>(p, Apply<Function>{});
}

// Does the same for one input, operand 1, which is turned.
template <class Function, class Out, class In>
__device__ void tile_kernel(const TileParams<2>& p) {
  tile_kernel<2, Function, Out, In>(p);
}

}  // namespace gpuarray
