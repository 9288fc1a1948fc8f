// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The kernels before and after a radix sort: elements become words that unsigned order sorts, and
// words become elements or indices again. Any launch shape works: the threads of the grid loop over
// the elements.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/sort/sort_params.hpp"

namespace gpuarray {

// Return the first element of this thread, and the step to its next one.
__device__ inline int64_t grid_begin() { return int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline int64_t grid_step() { return int64_t(gridDim.x) * blockDim.x; }

// Returns the position of element k among all elements.
__device__ inline int64_t position(const SortPositions& positions, int64_t k) {
  if (positions.data == nullptr) return k;
  if (positions.bytes == 4) return static_cast<const uint32_t*>(positions.data)[k];
  return static_cast<const int64_t*>(positions.data)[k];
}

// Returns the row of the element at `at`. It divides in 32 bits where it can, which costs a
// fraction of 64 bits.
__device__ inline int64_t row_of(int64_t at, int64_t length) {
  if ((uint64_t(at) | uint64_t(length)) >> 32 == 0) return uint32_t(at) / uint32_t(length);
  return at / length;
}

// Returns the key of the element at `at`, whose bits are inverted for descending order. A
// complex128 gives the half of its key that p.low_part names.
template <class T>
__device__ uint64_t sorted_key(const SortPack& p, int64_t at) {
  if constexpr (is_complex_v<T>) {
    const auto key = order_of_complex(static_cast<const T*>(p.source)[at]);
    if constexpr (sizeof(T) == 8) {
      const uint64_t both = uint64_t(key.high) << 32 | key.low;
      return p.descending ? ~both : both;
    } else {
      const uint64_t part = p.low_part ? key.low : key.high;
      return p.descending ? ~part : part;
    }
  } else {
    const KeyOrder<T> order{p.kind, T(p.infinity)};
    const T bits = static_cast<const T*>(p.source)[at];
    const T key = p.keeps_equal ? order_of_bits(bits, order) : key_of_bits(bits, order);
    return p.descending ? T(~key) : key;
  }
}

// Makes the word of each element: its key, its row and its index in the row, whichever p asks for.
// T is the unsigned integer of the element's size, or a complex type.
template <class T, class Word>
__device__ void sort_pack(const SortPack& p) {
  wait_for_previous_grid();
  auto* target = static_cast<Word*>(p.target);
  for (int64_t k = grid_begin(); k < p.count; k += grid_step()) {
    const int64_t at = position(p.positions, k);
    uint64_t word = p.key_shift >= 0 ? sorted_key<T>(p, at) << p.key_shift : 0;
    if (p.row_shift >= 0 || p.with_index) {
      const int64_t row = p.length == p.count ? 0 : row_of(at, p.length);
      if (p.row_shift >= 0) word |= uint64_t(row) << p.row_shift;
      if (p.with_index) word |= uint64_t(at - row * p.length);
    }
    target[k] = Word(word);
  }
}

// Makes the elements of sorted words that hold their keys (key_of_bits).
template <class T, class Word>
__device__ void sort_unpack(const SortUnpack& p) {
  wait_for_previous_grid();
  const auto* source = static_cast<const Word*>(p.source);
  auto* target = static_cast<T*>(p.target);
  for (int64_t k = grid_begin(); k < p.count; k += grid_step()) {
    const T key = T(source[k]);
    target[k] = bits_of_key(p.descending ? T(~key) : key, KeyOrder<T>{p.kind, T(p.infinity)});
  }
}

// Writes the index in its row of each element of the sorted order, from words or from positions.
__device__ inline void sort_index(const SortIndex& p) {
  wait_for_previous_grid();
  for (int64_t k = grid_begin(); k < p.count; k += grid_step()) {
    if (p.words != nullptr) {
      p.target[k] = int64_t(p.words[k] & p.mask);
      continue;
    }
    const int64_t at = position(p.positions, k);
    p.target[k] = p.length == p.count ? at : at - row_of(at, p.length) * p.length;
  }
}

// Writes the index of each element of the sorted order, and the element, from words. Only what its
// key does not tell is read from the source, in any order.
template <class T>
__device__ void sort_order(const SortOrder& p) {
  wait_for_previous_grid();
  const KeyOrder<T> order{p.kind, T(p.infinity)};
  const uint64_t mask = (uint64_t(1) << p.index_bits) - 1;
  for (int64_t k = grid_begin(); k < p.count; k += grid_step()) {
    const uint64_t word = p.words[k], index = word & mask;
    const T key = T(word >> p.index_bits);
    p.target[k] = int64_t(index);
    static_cast<T*>(p.values)[k] =
        is_shared(key, order) ? static_cast<const T*>(p.source)[index] : bits_of_key(key, order);
  }
}

// Copies elements of the size of T from their positions.
template <class T>
__device__ void gather_items(const SortGather& p) {
  for (int64_t k = grid_begin(); k < p.count; k += grid_step())
    static_cast<T*>(p.target)[k] = static_cast<const T*>(p.source)[position(p.positions, k)];
}

// Copies elements of any dtype from their positions.
__device__ inline void sort_gather(const SortGather& p) {
  wait_for_previous_grid();
  if (p.itemsize == 16) return gather_items<uint4>(p);
  if (p.itemsize == 8) return gather_items<uint64_t>(p);
  if (p.itemsize == 4) return gather_items<uint32_t>(p);
  if (p.itemsize == 2) return gather_items<uint16_t>(p);
  return gather_items<uint8_t>(p);
}

// Finds the negative NaNs at the begin of the sorted keys and copies all keys to `spare` with those
// at the end, if there are any.
template <class T>
__device__ void sort_rotate_out(const SortRotate& p) {
  wait_for_previous_grid();
  using Bits = unsigned_t<T>;
  constexpr Bits negative_infinity = FloatLayout<T>::sign | FloatLayout<T>::infinity;
  const auto* keys = static_cast<const Bits*>(p.keys);
  auto* spare = static_cast<Bits*>(p.spare);
  int64_t first = 0, last = p.count;  // the negative NaNs are those before `first`
  if (keys[0] <= negative_infinity) last = 0;
  while (first < last) {
    const int64_t middle = first + (last - first) / 2;
    if (keys[middle] > negative_infinity)
      first = middle + 1;
    else
      last = middle;
  }
  if (grid_begin() == 0) *p.negative_nans = first;
  if (first == 0) return;
  for (int64_t k = grid_begin(); k < p.count; k += grid_step())
    spare[k < first ? k + p.count - first : k - first] = keys[k];
}

// Copies the keys back from `spare` if there are negative NaNs; runs after sort_rotate_out.
template <class T>
__device__ void sort_rotate_back(const SortRotate& p) {
  wait_for_previous_grid();
  if (*p.negative_nans == 0) return;
  for (int64_t k = grid_begin(); k < p.count; k += grid_step())
    static_cast<unsigned_t<T>*>(p.keys)[k] = static_cast<const unsigned_t<T>*>(p.spare)[k];
}

}  // namespace gpuarray
