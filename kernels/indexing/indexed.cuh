// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Kernels over the elements of an array that indices along one axis choose. An action says what
// happens with each element and the value that belongs to it: gather, scatter, or combine
// (combine_at.cuh).
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/element/inputs.cuh"
#include "kernels/element/layout.cuh"
#include "kernels/indexing/index_errors.cuh"
#include "kernels/indexing/indexed_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

// The action that reads: it sets value = element, or 0 for an index out of bounds. kReadsArray says
// that values are written, not read.
template <class T>
struct Gather {
  using word = T;
  static constexpr bool kReadsArray = true;
  __device__ static void apply(T* element, T* value) { *value = *element; }
  __device__ static void leave_out(T* value) { *value = T{}; }
};

// The action that writes: it sets element = value. An index out of bounds writes nothing.
template <class T>
struct Scatter {
  using word = T;
  static constexpr bool kReadsArray = false;
  __device__ static void apply(T* element, T* value) { *element = *value; }
  __device__ static void leave_out(T*) {}
};

// Loads `Count` neighbouring indices by accesses of up to 16 bytes; `source` is aligned to such an
// access.
template <class Index, int Count>
__device__ void load_indices(const Index* source, Index (&indices)[Count]) {
  constexpr int kLoad = Count * sizeof(Index) > 16 ? 16 / sizeof(Index) : Count;
#pragma unroll
  for (int k = 0; k < Count; k += kLoad) {
    const auto loaded = *reinterpret_cast<const Vec<Index, kLoad>*>(source + k);
#pragma unroll
    for (int i = 0; i < kLoad; ++i) indices[k + i] = loaded.items[i];
  }
}

// Returns the address of the element that an index chooses, or null if the index is out of bounds.
template <class T>
__device__ T* find_element(const IndexedRowsParams& p, int64_t index, uint32_t plane, uint32_t row,
                           uint32_t column) {
  int64_t offset;
  if (!p.axis.find<false>(index, offset)) return nullptr;
  return static_cast<T*>(p.array) + plane * p.array_plane + row * p.array_step + offset + column;
}

// Rows of one word, with 16 bytes of values an access. A thread takes kIndexedLoads values, or one
// access if that is more, and all its loads are in flight together.
template <class Action, class Index>
__device__ void indexed_vectors(const IndexedRowsParams& p) {
  using T = typename Action::word;
  constexpr int kWidth = 16 / sizeof(T);
  constexpr int kRounds = kIndexedLoads / kWidth > 0 ? kIndexedLoads / kWidth : 1;
  const uint32_t first = (blockIdx.x * kRounds * kIndexedBlock + threadIdx.x) * kWidth;
  const auto at = [&](int round) { return first + round * (kIndexedBlock * kWidth); };
  Index indices[kRounds][kWidth];
  T* elements[kRounds][kWidth];
  Vec<T, kWidth> values[kRounds];
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    if (at(round) >= p.size) continue;
    const uint32_t plane = p.plane.divide(at(round));
    const uint32_t row = at(round) - plane * p.plane.divisor;
    load_indices(static_cast<const Index*>(p.index) + (plane * p.index_plane + row),
                 indices[round]);
    if constexpr (!Action::kReadsArray)
      values[round] = *reinterpret_cast<Vec<T, kWidth>*>(static_cast<T*>(p.values) + at(round));
  }
  bool complete = true;
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    if (at(round) >= p.size) continue;
    const uint32_t plane = p.plane.divide(at(round));
    const uint32_t row = at(round) - plane * p.plane.divisor;
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
      elements[round][i] = find_element<T>(p, indices[round][i], plane, row + i, 0);
      complete = complete && elements[round][i] != nullptr;
    }
  }
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    if (at(round) >= p.size) continue;
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
      T* value = &values[round].items[i];
      if (elements[round][i] != nullptr)
        Action::apply(elements[round][i], value);
      else
        Action::leave_out(value);
    }
  }
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    if (at(round) >= p.size) continue;
    if constexpr (Action::kReadsArray) store(static_cast<T*>(p.values) + at(round), values[round]);
    if (complete) continue;
    for (int i = 0; i < kWidth; ++i)
      if (elements[round][i] == nullptr) note_if_beyond(p.axis, indices[round][i]);
  }
}

// Rows of any number of words, or values without alignment. A thread takes kIndexedRounds words,
// kIndexedBlock apart, or if rows are cut, those of as many rows.
template <class Action, class Index>
__device__ void indexed_words(const IndexedRowsParams& p) {
  using T = typename Action::word;
  uint32_t first = blockIdx.x * (kIndexedBlock * kIndexedRounds) + threadIdx.x;
  uint32_t step = kIndexedBlock;
  if (p.cut > 0) {
    const uint32_t piece = blockIdx.x / p.cut;
    step = p.row.divisor;
    first =
        (blockIdx.x - piece * p.cut) * kIndexedRounds * step + piece * kIndexedBlock + threadIdx.x;
  }
  const auto at = [&](int round) { return first + round * step; };
  Index indices[kIndexedRounds];
  T* elements[kIndexedRounds];
  T words[kIndexedRounds];
#pragma unroll
  for (int round = 0; round < kIndexedRounds; ++round) {
    if (at(round) >= p.size) continue;
    const uint32_t plane = p.plane.divide(at(round));
    const uint32_t row = p.row.divide(at(round) - plane * p.plane.divisor);
    indices[round] = static_cast<const Index*>(p.index)[plane * p.index_plane + row];
    if constexpr (!Action::kReadsArray)
      words[round] = static_cast<T*>(p.values)[int64_t(at(round)) * p.value_step];
  }
#pragma unroll
  for (int round = 0; round < kIndexedRounds; ++round) {
    elements[round] = nullptr;
    if (at(round) >= p.size) continue;
    const uint32_t plane = p.plane.divide(at(round));
    const uint32_t in_plane = at(round) - plane * p.plane.divisor;
    const uint32_t row = p.row.divide(in_plane);
    elements[round] =
        find_element<T>(p, indices[round], plane, row, in_plane - row * p.row.divisor);
  }
#pragma unroll
  for (int round = 0; round < kIndexedRounds; ++round) {
    if (elements[round] != nullptr)
      Action::apply(elements[round], &words[round]);
    else
      Action::leave_out(&words[round]);
  }
#pragma unroll
  for (int round = 0; round < kIndexedRounds; ++round) {
    if (at(round) >= p.size) continue;
    if constexpr (Action::kReadsArray) static_cast<T*>(p.values)[at(round)] = words[round];
    if (elements[round] == nullptr) note_if_beyond(p.axis, indices[round]);
  }
}

// Applies the action to every word of the values, which are contiguous. Blocks have kIndexedBlock
// threads, and the grid covers all words once (src/backend/indexed_launch.hpp).
template <class Action, class Index>
__device__ void indexed_rows_kernel(const IndexedRowsParams& p) {
  wait_for_previous_grid();
  if (p.vectors)
    indexed_vectors<Action, Index>(p);
  else
    indexed_words<Action, Index>(p);
}

// Applies the action to every value, over any strides. Any launch shape works: the threads of the
// grid loop over the values.
template <class Action, class Index>
__device__ void indexed_any_kernel(const IndexedParams& p) {
  wait_for_previous_grid();
  using T = typename Action::word;
  const bool narrow = p.size <= 0xffffffff;
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; at < p.size; at += step) {
    int64_t offsets[3];
    find_offsets(at, narrow, p.ndim, p.shape, p.strides, offsets);
    T* value = static_cast<T*>(p.values) + offsets[2];
    const int64_t index = static_cast<const Index*>(p.index)[offsets[0]];
    int64_t offset;
    if (p.axis.find<false>(index, offset)) {
      Action::apply(static_cast<T*>(p.array) + offsets[1] + offset, value);
    } else {
      Action::leave_out(value);
      note_if_beyond(p.axis, index);
    }
  }
}

}  // namespace gpuarray
