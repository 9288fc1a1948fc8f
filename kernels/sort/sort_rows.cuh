// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The sort of rows that fit into shared memory, by one launch: each thread sorts a few words in
// registers, then sorted runs are merged in pairs, for which each thread makes as many words of the
// result.
#pragma once

#include "kernels/sort/sort.cuh"
#include "kernels/tuning.hpp"

namespace gpuarray {

// Holds the words of a block's rows in shared memory, with a gap of one word every 128 bytes so
// that neighbouring threads, each of which begins at its own words, access different banks.
template <class Word>
struct SortTile {
  static constexpr int items = sort_row_items<Word>;
  static constexpr int slots = kSortRowsBlock * items;
  static constexpr int gap = 128 / int(sizeof(Word));
  static constexpr int size = slots + slots / gap;

  Word* words;

  __device__ Word& operator[](int slot) const { return words[slot + slot / gap]; }
};

// Sorts words in registers by odd-even transposition.
template <class Word, int Count>
__device__ void sort_in_registers(Word (&words)[Count]) {
#pragma unroll
  for (int round = 0; round < Count; ++round)
#pragma unroll
    for (int k = round % 2; k + 1 < Count; k += 2) {
      const Word low = words[k] < words[k + 1] ? words[k] : words[k + 1];
      words[k + 1] = words[k] < words[k + 1] ? words[k + 1] : words[k];
      words[k] = low;
    }
}

// Sets `merged` to the words [at, at + Count) of the run that the sorted runs [first, middle) and
// [middle, last) merge into. Equal words keep their order.
template <class Word, int Count>
__device__ void merge_runs(const SortTile<Word>& tile, int first, int middle, int last, int at,
                           Word (&merged)[Count]) {
  const int diagonal = at - first;
  int low = diagonal > last - middle ? diagonal - (last - middle) : 0;
  int high = diagonal < middle - first ? diagonal : middle - first;
  while (low < high) {
    const int taken = (low + high) / 2;
    if (tile[middle + diagonal - 1 - taken] < tile[first + taken])
      high = taken;
    else
      low = taken + 1;
  }
  int left = first + low, right = middle + diagonal - low;
#pragma unroll
  for (int k = 0; k < Count; ++k) {
    const bool takes_left = right >= last || (left < middle && !(tile[right] < tile[left]));
    merged[k] = takes_left ? tile[left++] : tile[right++];
  }
}

// Finds the element that belongs into a slot of the block's tile, if any.
struct RowPlace {
  int64_t at;  // among all elements
  int column;
  bool is_element;

  __device__ RowPlace(const SortRows& p, int slot) {
    const int own_row = slot / p.pitch;
    const int64_t row = int64_t(blockIdx.x) * p.block_rows + own_row;
    column = slot - own_row * p.pitch;
    at = row * p.length + column;
    is_element = own_row < p.block_rows && row < p.rows && column < p.length;
  }
};

// Returns the word of an element: its key, or its 32-bit key above its column if indices are asked
// for.
template <class T>
__device__ uint64_t row_word(const SortRows& p, int64_t at, int column) {
  const KeyOrder<T> order{p.kind, T(p.infinity)};
  const T bits = static_cast<const T*>(p.source)[at];
  T key = p.indices ? order_of_bits(bits, order) : key_of_bits(bits, order);
  if (p.descending) key = T(~key);
  return p.indices ? uint64_t(key) << 32 | uint32_t(column) : key;
}

// Writes the element, or the index, that a word stands for.
template <class T, class Word>
__device__ void write_row_word(const SortRows& p, int64_t at, Word word) {
  if (p.indices) {
    static_cast<int64_t*>(p.target)[at] = int64_t(uint32_t(word));
    return;
  }
  const T key = T(word);
  static_cast<T*>(p.target)[at] =
      bits_of_key(p.descending ? T(~key) : key, KeyOrder<T>{p.kind, T(p.infinity)});
}

// Sorts p.block_rows rows a block. Blocks have kSortRowsBlock threads, and the grid covers all rows
// once. T is the unsigned integer of the element's size; Word is at least as large, and 64 bits if
// indices are asked for.
template <class T, class Word>
__device__ void sort_rows(const SortRows& p) {
  using Tile = SortTile<Word>;
  __shared__ Word words[Tile::size];
  const Tile tile{words};
  wait_for_previous_grid();
  for (int slot = threadIdx.x; slot < Tile::slots; slot += kSortRowsBlock) {
    const RowPlace place(p, slot);
    tile[slot] = place.is_element ? Word(row_word<T>(p, place.at, place.column)) : Word(-1);
  }
  __syncthreads();

  const int begin = threadIdx.x * Tile::items;
  Word own[Tile::items];
#pragma unroll
  for (int k = 0; k < Tile::items; ++k) own[k] = tile[begin + k];
  sort_in_registers(own);
  const int row_begin = begin / p.pitch * p.pitch;
  const int row_end = row_begin + p.pitch < Tile::slots ? row_begin + p.pitch : Tile::slots;
  for (int run = Tile::items;; run *= 2) {
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Tile::items; ++k) tile[begin + k] = own[k];
    __syncthreads();
    if (run >= p.pitch) break;
    const int first = row_begin + (begin - row_begin) / (2 * run) * (2 * run);
    const int middle = first + run < row_end ? first + run : row_end;
    const int last = first + 2 * run < row_end ? first + 2 * run : row_end;
    merge_runs(tile, first, middle, last, begin, own);
  }
  for (int slot = threadIdx.x; slot < Tile::slots; slot += kSortRowsBlock)
    if (const RowPlace place(p, slot); place.is_element) write_row_word<T>(p, place.at, tile[slot]);
}

}  // namespace gpuarray
