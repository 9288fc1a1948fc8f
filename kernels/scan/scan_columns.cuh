// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Scans across rows of memory: neighbouring threads take neighbouring columns, the warps of a block
// follow each other along the scanned axis, and blocks further along it look back at the totals of
// those above them.
#pragma once

#include "kernels/scan/scan.cuh"

namespace gpuarray {

// Returns the total of a column's tiles above `tile`, which is not the first; waits until they are
// published. Tiles are combined from the first on, so that the total has the same bits whichever
// prefix is found. `at(k)` is the slot of tile k.
template <class Scanner, class Table, class At>
__device__ typename Scanner::accumulator tiles_above(const Table& slots, uint32_t tile, At&& at) {
  typename Scanner::accumulator total, next;
  uint32_t nearest = tile - 1;
  while (slots.await(at(nearest), total) != kSlotPrefix) --nearest;
  while (++nearest < tile)
    total = slots.await(at(nearest), next) == kSlotPrefix ? next : Scanner::combine(total, next);
  return total;
}

// Says which elements a thread takes: kScanColumnRows rows of `items` neighbouring columns.
template <int items>
struct ScanColumnsThread {
  static constexpr int warps = kScanBlock / 32;
  static constexpr int columns = 32 * items;  // of a block

  uint32_t tile;
  uint32_t block;  // among those of the tile
  uint32_t outer;  // index over the outer kept axes
  int place;       // the first of the thread's columns in the block
  int warp;
  int64_t column;  // the same column in the row of memory
  int64_t begin;   // the thread's first row
  int inside;      // how many of its rows there are

  __device__ explicit ScanColumnsThread(const ScanParams& p) {
    tile = blockIdx.x / p.row_blocks;
    block = blockIdx.x - tile * p.row_blocks;
    outer = block / p.column_blocks;
    place = int(threadIdx.x % 32) * items;
    warp = threadIdx.x / 32;
    column = int64_t(block - outer * p.column_blocks) * columns + place;
    begin = (int64_t(tile) * warps + warp) * kScanColumnRows;
    const int64_t left = column < p.columns ? p.length - begin : 0;
    inside = left < kScanColumnRows ? int(left) : kScanColumnRows;
  }
};

// Holds the elements that a thread has loaded, by rows.
template <class Scanner, int items>
using ScanColumnRows = Words<Vec<stored_t<typename Scanner::value>, items>>[kScanColumnRows];

// Holds for each warp of a block a value of each column. It is shared by the block.
template <class Scanner, int items>
using ScanColumnTotals = typename Scanner::accumulator[ScanColumnsThread<items>::warps]
                                                      [ScanColumnsThread<items>::columns];

// Loads all rows before any is used, so that the loads overlap.
template <class Scanner, int items>
__device__ void load_rows(const ScanParams& p, const ScanColumnsThread<items>& thread,
                          const stored_t<typename Scanner::value>* source,
                          ScanColumnRows<Scanner, items>& loaded) {
  using Vector = Vec<stored_t<typename Scanner::value>, items>;
#pragma unroll
  for (int row = 0; row < kScanColumnRows; ++row)
    if (row < thread.inside)
      loaded[row] = Words<Vector>(*reinterpret_cast<const Vector*>(source + row * p.source_step));
}

// Writes the totals of each warp's rows.
template <class Scanner, int items>
__device__ void total_rows(const ScanColumnsThread<items>& thread,
                           ScanColumnRows<Scanner, items>& loaded,
                           ScanColumnTotals<Scanner, items>& shared) {
  using Accumulator = typename Scanner::accumulator;
  Accumulator totals[items];
#pragma unroll
  for (int row = 0; row < kScanColumnRows; ++row) {
    const auto vector = loaded[row].value();
#pragma unroll
    for (int k = 0; k < items; ++k) {
      const Accumulator lifted = Scanner::lift(vector.items[k]);
      totals[k] = row == 0 ? lifted : Scanner::combine(totals[k], lifted);
    }
    loaded[row].forget_uses();
  }
#pragma unroll
  for (int k = 0; k < items; ++k) shared[thread.warp][thread.place + k] = totals[k];
}

// Replaces the total of each warp's rows by the total of everything above them.
template <class Scanner, int items>
__device__ void total_above(const ScanParams& p, const ScanColumnsThread<items>& thread,
                            ScanColumnTotals<Scanner, items>& shared) {
  using Accumulator = typename Scanner::accumulator;
  using Part = Stretch<Scanner>;
  constexpr int warps = ScanColumnsThread<items>::warps;
  constexpr int columns = ScanColumnsThread<items>::columns;
  for (int k = threadIdx.x; k < columns; k += kScanBlock) {
    Part running{{}, false};
    if (p.tiles > 1) {
      Accumulator aggregate = shared[0][k];
      for (int w = 1; w < warps; ++w) aggregate = Scanner::combine(aggregate, shared[w][k]);
      const Slots<Accumulator> slots{p.state};
      auto slot = [&](uint32_t of) {
        return (int64_t(of) * p.row_blocks + thread.block) * columns + k;
      };
      if (thread.tile > 0) {
        slots.publish(slot(thread.tile), aggregate, kSlotAggregate);
        running = {tiles_above<Scanner>(slots, thread.tile, slot), true};
      }
      slots.publish(slot(thread.tile), running.then({aggregate, true}).total, kSlotPrefix);
    }
    for (int w = 0; w < warps; ++w) {
      const Part next = running.then({shared[w][k], true});
      if (running.any) shared[w][k] = running.total;
      running = next;
    }
  }
}

// Scans `items` neighbouring columns a thread, over kScanColumnRows rows of each. Blocks have
// kScanBlock threads; the grid has p.tiles x p.row_blocks of them, and blocks of later tiles wait
// for earlier ones, which start first. Vectors of `items` columns must be aligned in the source and
// the target.
template <class Scanner, int items>
__device__ void scan_columns_kernel(const ScanParams& p) {
  using Stored = stored_t<typename Scanner::value>;
  using Totals = ScanColumnTotals<Scanner, items>;
  alignas(16) __shared__ unsigned char storage[sizeof(Totals)];
  auto& shared = reinterpret_cast<Totals&>(storage);
  wait_for_previous_grid();

  const ScanColumnsThread<items> thread(p);
  const ScanPlace place(p, thread.outer, thread.begin);
  const auto* source = static_cast<const Stored*>(p.source) + place.offsets[0] + thread.column;
  auto* target = place.in_target<typename Scanner::result>(p) + thread.column;
  ScanColumnRows<Scanner, items> loaded;
  load_rows<Scanner>(p, thread, source, loaded);
  total_rows<Scanner>(thread, loaded, shared);
  __syncthreads();
  total_above<Scanner>(p, thread, shared);
  __syncthreads();

  // Not a function of its own, because the compiler would make more instructions of it.
  Stretch<Scanner> running[items];
#pragma unroll
  for (int k = 0; k < items; ++k)
    running[k] = {shared[thread.warp][thread.place + k], thread.begin > 0};
#pragma unroll
  for (int row = 0; row < kScanColumnRows; ++row) {
    const auto vector = loaded[row].value();
    Vec<typename Scanner::result, items> results;
#pragma unroll
    for (int k = 0; k < items; ++k) results.items[k] = running[k].step(vector.items[k]);
    if (row < thread.inside) store(target + row * p.target_step, results);
  }
}

}  // namespace gpuarray
