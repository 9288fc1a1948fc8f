// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Search of many queries in a long array, by a tree. Its leaves are the sorted elements, a node
// after the other; each level above holds the last key of every node below, and the pivots in
// shared memory are the highest one. A query reads one node of each level.
#pragma once

#include "kernels/element/inputs.cuh"
#include "kernels/scan/scan_words.cuh"
#include "kernels/sort/search.cuh"

namespace gpuarray {

// Lanes that read a node together, 16 bytes each.
inline constexpr int kSearchTeam = kSearchNodeBytes / 16;
static_assert(kSearchTeam <= 4, "the counts of a team are bytes of a word");

// Returns how many elements of a node come before the query's place, by read(k), which returns the
// kth 16 bytes of all nodes, and is_after(query, element). The lanes of a team read the nodes of
// each of them together, because an access takes the longer the more lines its lanes touch. All
// lanes must call it.
template <class Key, class Read, class IsAfter>
__device__ uint32_t count_in_node(Key query, uint32_t node, Read read, IsAfter is_after) {
  const int lane = int(threadIdx.x) % kSearchTeam;
  decltype(read(int64_t())) parts[kSearchTeam];
#pragma unroll
  for (int other = 0; other < kSearchTeam; ++other)
    parts[other] = read(int64_t(shuffle(node, other, kSearchTeam)) * kSearchTeam + lane);
  uint32_t counts = 0;  // a byte for each lane of the team
#pragma unroll
  for (int other = 0; other < kSearchTeam; ++other) {
    const Key its_query = shuffle(query, other, kSearchTeam);
    uint32_t count = 0;
    for (const auto& element : parts[other].items) count += is_after(its_query, element);
    counts |= count << (8 * other);
  }
#pragma unroll
  for (int distance = kSearchTeam / 2; distance > 0; distance /= 2)
    counts += __shfl_xor_sync(0xffffffffu, counts, distance);
  return counts >> (8 * lane) & 0xff;
}

// The tree over the elements of a search. Every level has a whole node for each key of the level
// above, whatever the length, so that any way down stays inside.
template <class T, bool has_sorter>
struct SearchTree {
  using Key = typename Searched<T, has_sorter>::Key;
  static constexpr int kNode = search_node<Key>;
  const Searched<T, has_sorter> searched;

  // Returns which leaf node the place of the query lies in, below pivot `node`.
  __device__ uint32_t find_leaf(Key query, uint32_t node, int64_t pivot_count) const {
    using Part = Vec<Key, 16 / sizeof(Key)>;
    const auto* level = static_cast<const Key*>(searched.p.levels);
    int64_t keys = pivot_count;
    for (int depth = 0; depth < searched.p.depth; ++depth) {
      const uint32_t count = count_in_node(
          query, node, [&](int64_t k) { return reinterpret_cast<const Part*>(level)[k]; },
          [&](Key of, Key key) { return searched.is_after(of, key); });
      // Only elements in no order have a place after the last key, which is not before the pivot.
      node = node * kNode + (count < kNode ? count : kNode - 1);
      keys *= kNode;
      level += keys;
    }
    return node;
  }

  // Returns whether vectors can read the elements of a leaf node.
  __device__ bool has_vectors(uint32_t node) const {
    return reinterpret_cast<uint64_t>(searched.p.sorted) % 16 == 0 &&
           (int64_t(node) + 1) * kNode <= searched.p.length;
  }

  // Returns how many elements of a leaf node come before the place of the query.
  __device__ int64_t count_in_leaf(Key query, uint32_t node) const {
    if constexpr (!has_sorter) {
      using Part = Vec<stored_t<T>, 16 / sizeof(T)>;
      if (!__any_sync(0xffffffffu, !has_vectors(node)))
        return count_in_node(
            query, node, [&](int64_t k) { return static_cast<const Part*>(searched.p.sorted)[k]; },
            [&](Key of, const stored_t<T>& element) {
              return searched.is_after(of, search_key(T(element)));
            });
    }
    int found[1];
    search_side_by_side(kNode, found, [&](int, int k) {
      return searched.is_after(query, searched.key_or_last(int64_t(node) * kNode + k));
    });
    return found[0];
  }

  // Writes the place of each query to p.target. Lanes of a team stay together in all loops.
  __device__ void search(Key* pivots) const {
    const SearchParams& p = searched.p;
    const int pivot_count = load_pivots(searched, pivots);
    const auto* queries = static_cast<const stored_t<T>*>(p.queries);
    for (int64_t tile = int64_t(blockIdx.x) * kSearchBlock; tile < p.count;
         tile += int64_t(gridDim.x) * kSearchBlock) {
      const int64_t at = tile + threadIdx.x;
      const Key query = search_key(T(queries[at < p.count ? at : p.count - 1]));
      int pivot[1];
      search_side_by_side(pivot_count, pivot,
                          [&](int, int k) { return searched.is_after(query, pivots[k]); });
      const bool is_last = pivot[0] == pivot_count;  // after all elements, below no pivot
      const uint32_t leaf = find_leaf(query, is_last ? 0 : pivot[0], pivot_count);
      const int64_t place = int64_t(leaf) * kNode + count_in_leaf(query, leaf);
      if (at < p.count) p.target[at] = is_last || place > p.length ? p.length : place;
    }
  }

  // Fills the levels, a thread for each key of the lowest one, which stand last in memory.
  __device__ void fill_levels() const {
    const SearchParams& p = searched.p;
    const int64_t pivot_count = (p.length + p.stretch - 1) / p.stretch;
    const int64_t lowest = pivot_count * (p.stretch / kNode);
    for (int64_t k = int64_t(blockIdx.x) * kSearchBlock + threadIdx.x; k < lowest;
         k += int64_t(gridDim.x) * kSearchBlock) {
      const Key key = searched.key_or_last((k + 1) * kNode - 1);
      Key* level = static_cast<Key*>(p.levels) + p.level_keys - lowest;
      level[k] = key;
      int64_t at = k, keys = lowest;
      while (at % kNode == kNode - 1 && keys > pivot_count * kNode) {
        at /= kNode;
        keys /= kNode;
        level -= keys;
        level[at] = key;
      }
    }
  }
};

// Writes the place of each query to p.target. Blocks have kSearchBlock threads; any grid works.
template <class T>
__device__ void search_tree_kernel(const SearchParams& p) {
  __shared__ decltype(search_key(T())) pivots[search_pivots<decltype(search_key(T()))>];
  wait_for_previous_grid();
  if (p.sorter == nullptr)
    SearchTree<T, false>{{p}}.search(pivots);
  else
    SearchTree<T, true>{{p}}.search(pivots);
}

// Fills p.levels for search_tree_kernel. Blocks have kSearchBlock threads; any grid works.
template <class T>
__device__ void search_levels_kernel(const SearchParams& p) {
  wait_for_previous_grid();
  if (p.sorter == nullptr)
    SearchTree<T, false>{{p}}.fill_levels();
  else
    SearchTree<T, true>{{p}}.fill_levels();
}

}  // namespace gpuarray
