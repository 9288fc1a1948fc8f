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

// Scans `items` neighbouring columns a thread, over kScanColumnRows rows of each. Blocks have
// kScanBlock threads; the grid has p.tiles x p.row_blocks of them, and blocks of later tiles wait
// for earlier ones, which start first. Vectors of `items` columns must be aligned in the source and
// the target.
template <class Scanner, int items>
__device__ void scan_columns_kernel(const ScanParams& p) {
  using Accumulator = typename Scanner::accumulator;
  using Part = Stretch<Scanner>;
  using Table = Slots<Accumulator>;
  constexpr int warps = kScanBlock / 32;
  constexpr int columns = 32 * items;  // columns of a block
  alignas(16) __shared__ unsigned char storage[warps * columns * sizeof(Accumulator)];
  auto* shared = reinterpret_cast<Accumulator(*)[columns]>(storage);
  wait_for_previous_grid();

  const uint32_t tile = blockIdx.x / p.row_blocks;
  const uint32_t block = blockIdx.x - tile * p.row_blocks;
  const uint32_t outer = block / p.column_blocks;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int64_t column = int64_t(block - outer * p.column_blocks) * columns + lane * items;
  const int64_t begin = (int64_t(tile) * warps + warp) * kScanColumnRows;
  const int64_t left = column < p.columns ? p.length - begin : 0;
  const int inside = left < kScanColumnRows ? int(left) : kScanColumnRows;
  const ScanPlace place(p, outer, begin);
  const auto* source =
      static_cast<const stored_t<typename Scanner::value>*>(p.source) + place.offsets[0] + column;
  auto* target = place.in_target<typename Scanner::result>(p) + column;

  using Vector = Vec<stored_t<typename Scanner::value>, items>;
  Words<Vector> loaded[kScanColumnRows];
#pragma unroll
  for (int row = 0; row < kScanColumnRows; ++row)
    if (row < inside)
      loaded[row] = Words<Vector>(*reinterpret_cast<const Vector*>(source + row * p.source_step));
  Accumulator totals[items];
#pragma unroll
  for (int row = 0; row < kScanColumnRows; ++row) {
    const Vector vector = loaded[row].value();
#pragma unroll
    for (int k = 0; k < items; ++k) {
      const Accumulator lifted = Scanner::lift(vector.items[k]);
      totals[k] = row == 0 ? lifted : Scanner::combine(totals[k], lifted);
    }
    loaded[row].forget_uses();
  }
#pragma unroll
  for (int k = 0; k < items; ++k) shared[warp][lane * items + k] = totals[k];
  __syncthreads();

  // The total of each warp's rows is replaced by the total of everything above them.
  for (int k = threadIdx.x; k < columns; k += kScanBlock) {
    Part running{{}, false};
    if (p.tiles > 1) {
      Accumulator aggregate = shared[0][k];
      for (int w = 1; w < warps; ++w) aggregate = Scanner::combine(aggregate, shared[w][k]);
      const Table slots{p.state};
      auto slot = [&](uint32_t of) { return (int64_t(of) * p.row_blocks + block) * columns + k; };
      if (tile > 0) {
        slots.publish(slot(tile), aggregate, kSlotAggregate);
        running = {tiles_above<Scanner>(slots, tile, slot), true};
      }
      slots.publish(slot(tile), running.then({aggregate, true}).total, kSlotPrefix);
    }
    for (int w = 0; w < warps; ++w) {
      const Part next = running.then({shared[w][k], true});
      if (running.any) shared[w][k] = running.total;
      running = next;
    }
  }
  __syncthreads();

  Part running[items];
#pragma unroll
  for (int k = 0; k < items; ++k) running[k] = {shared[warp][lane * items + k], begin > 0};
#pragma unroll
  for (int row = 0; row < kScanColumnRows; ++row) {
    const Vector vector = loaded[row].value();
    Vec<typename Scanner::result, items> results;
#pragma unroll
    for (int k = 0; k < items; ++k) results.items[k] = running[k].step(vector.items[k]);
    if (row < inside) store(target + row * p.target_step, results);
  }
}

}  // namespace gpuarray
