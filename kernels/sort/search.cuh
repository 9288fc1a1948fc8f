// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Binary search in two steps: first among pivots, every `stretch`th of the sorted elements, which a
// block keeps in shared memory, then among the elements between two pivots.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/sort/search_params.hpp"
#include "kernels/sort/sort_key.cuh"
#include "kernels/tuning.hpp"

namespace gpuarray {

// Reads the sorted elements as search keys, by the sorter if `has_sorter`.
template <class T, bool has_sorter>
struct Searched {
  using Key = decltype(search_key(T()));
  const SearchParams& p;

  __device__ Key key(int64_t k) const {
    int64_t at = k;
    if constexpr (has_sorter) {
      at = p.sorter[k];
      if (uint64_t(at) >= uint64_t(p.length)) at = 0;  // a wrong sorter must not fault the context
    }
    return search_key(T(static_cast<const stored_t<T>*>(p.sorted)[at]));
  }
  // Returns the same of an element that there is; the last one stands for those beyond.
  __device__ Key key_or_last(int64_t k) const { return key(k < p.length ? k : p.length - 1); }
  // Returns whether the query's place is after `element`.
  __device__ bool is_after(Key query, Key element) const {
    return p.right ? !key_less(query, element) : key_less(element, query);
  }
};

// Sets found[j] to how many of the first `length` elements come before the place of query j;
// is_after(j, k) says whether that place is after element k. All searches take the same number of
// steps, so that their loads overlap.
template <int Count, class Index, class IsAfter>
__device__ void search_side_by_side(Index length, Index (&found)[Count], IsAfter is_after) {
#pragma unroll
  for (int j = 0; j < Count; ++j) found[j] = 0;
  while (length > 1) {
    const Index half = length / 2;
#pragma unroll
    for (int j = 0; j < Count; ++j)
      if (is_after(j, found[j] + half - 1)) found[j] += half;
    length -= half;
  }
#pragma unroll
  for (int j = 0; j < Count; ++j)
    if (is_after(j, found[j])) ++found[j];
}

// Sets the pivots of a block, of p.stretch elements each, and returns how many they are. A pivot is
// the last of its elements. All threads of the block must call it.
template <class T, bool has_sorter, class Key>
__device__ int load_pivots(const Searched<T, has_sorter>& searched, Key* pivots) {
  const int64_t stretch = searched.p.stretch;
  const int count = int((searched.p.length + stretch - 1) / stretch);
  for (int k = threadIdx.x; k < count; k += kSearchBlock)
    pivots[k] = searched.key_or_last((k + 1) * stretch - 1);
  __syncthreads();
  return count;
}

template <class T, bool has_sorter>
__device__ void search_tiles(const SearchParams& p, decltype(search_key(T()))* pivots) {
  using Key = decltype(search_key(T()));
  const Searched<T, has_sorter> searched{p};
  const int pivot_count = load_pivots(searched, pivots);
  const auto* queries = static_cast<const stored_t<T>*>(p.queries);
  constexpr int64_t tile = kSearchBlock * kSearchQueries;
  for (int64_t first = blockIdx.x * tile + threadIdx.x; first < p.count;
       first += gridDim.x * tile) {
    Key query[kSearchQueries];
#pragma unroll
    for (int j = 0; j < kSearchQueries; ++j) {
      const int64_t at = first + j * kSearchBlock;
      query[j] = search_key(T(queries[at < p.count ? at : first]));
    }
    int stretches[kSearchQueries];
    search_side_by_side(pivot_count, stretches,
                        [&](int j, int k) { return searched.is_after(query[j], pivots[k]); });
    int64_t found[kSearchQueries] = {};
    if (p.stretch > 1)
      // Places beyond the end read the last element; what they find is cut to the length below.
      // Without a branch the loads of all queries are in flight at once.
      search_side_by_side(p.stretch, found, [&](int j, int64_t k) {
        return searched.is_after(query[j], searched.key_or_last(stretches[j] * p.stretch + k));
      });
#pragma unroll
    for (int j = 0; j < kSearchQueries; ++j) {
      const int64_t at = first + j * kSearchBlock;
      const int64_t place = stretches[j] * p.stretch + found[j];
      if (at < p.count) p.target[at] = place < p.length ? place : p.length;
    }
  }
}

// Writes the place of each query to p.target. Blocks have kSearchBlock threads and loop over tiles
// of kSearchBlock x kSearchQueries queries, so that any grid works.
template <class T>
__device__ void search_kernel(const SearchParams& p) {
  using Key = decltype(search_key(T()));
  __shared__ Key pivots[search_pivots<Key>];
  wait_for_previous_grid();
  if (p.sorter == nullptr)
    search_tiles<T, false>(p, pivots);
  else
    search_tiles<T, true>(p, pivots);
}

}  // namespace gpuarray
