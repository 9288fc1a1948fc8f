// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The kernel of reductions of short rows. A block copies a tile of rows to shared memory by loads
// of 16 bytes, and each thread reduces whole rows there, in the order in which the kernel of all
// reductions does with one lane a row, so that both give the same bits.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/element/inputs.cuh"
#include "kernels/reduce/reduce_runs.cuh"
#include "kernels/reduce/short_rows_params.hpp"

namespace gpuarray {

// Returns where byte `at` of a tile lies in shared memory. Rows of an even number of 16-byte chunks
// are padded after every 128 bytes, so that threads which read the same chunk of neighbouring rows
// meet no bank twice.
__device__ inline uint32_t place_in_tile(uint32_t at, uint32_t padding) {
  return at + at / 128 * padding;
}

// A row in a tile, which lies as far behind a 16-byte boundary as in global memory, or if `is_even`
// at one.
template <class T, bool is_even>
struct StagedRow {
  const unsigned char* tile;
  uint32_t at;  // bytes, without the padding
  uint32_t padding;

  template <class Loaded>
  __device__ const Loaded& read(uint32_t element) const {
    const uint32_t place = place_in_tile(at + element * uint32_t(sizeof(T)), padding);
    return *reinterpret_cast<const Loaded*>(tile + place);
  }
  __device__ T operator[](uint32_t element) const { return read<T>(element); }
  __device__ StagedRow operator+(uint32_t elements) const {
    return {tile, at + elements * uint32_t(sizeof(T)), padding};
  }
};

template <class T, bool is_even>
struct RowReader<T, StagedRow<T, is_even>> {
  using Row = StagedRow<T, is_even>;
  static constexpr int size = RowPack<T>::size;
  using Loaded = uint4;
  static constexpr uint32_t in_flight = kReduceInFlight;
  __device__ static uint32_t head(const Row& row) {
    return is_even ? 0 : -(row.at / uint32_t(sizeof(T))) & (size - 1);
  }
  __device__ static uint4 load(const Row& row, uint32_t at) { return row.template read<uint4>(at); }
  __device__ static uint4 words(const Row&, uint4 loaded) { return loaded; }
};

// Copies bytes [begin, end) of `source`, which is aligned to 16 bytes, to their places in the tile:
// whole chunks of 16 bytes, and the elements before and behind these one by one.
template <class T>
__device__ void fill_tile(unsigned char* tile, uint32_t padding, const unsigned char* source,
                          uint32_t begin, uint32_t end) {
  constexpr int rounds = kShortRowsTile / (16 * kShortRowsBlock);
  const uint32_t first = (begin + 15) / 16, last = end / 16;
  uint4 chunks[rounds];
#pragma unroll
  for (int k = 0; k < rounds; ++k) {
    const uint32_t chunk = first + threadIdx.x + k * kShortRowsBlock;
    if (chunk < last) chunks[k] = reinterpret_cast<const uint4*>(source)[chunk];
  }
#pragma unroll
  for (int k = 0; k < rounds; ++k) {
    const uint32_t chunk = first + threadIdx.x + k * kShortRowsBlock;
    if (chunk < last)
      *reinterpret_cast<uint4*>(tile + place_in_tile(16 * chunk, padding)) = chunks[k];
  }
  const uint32_t head_end = 16 * first < end ? 16 * first : end;
  const uint32_t tail = 16 * (first < last ? last : first);
  const uint32_t own = threadIdx.x * uint32_t(sizeof(T));
  if (begin + own < head_end)
    *reinterpret_cast<T*>(tile + place_in_tile(begin + own, padding)) =
        *reinterpret_cast<const T*>(source + begin + own);
  if (tail + own < end)
    *reinterpret_cast<T*>(tile + place_in_tile(tail + own, padding)) =
        *reinterpret_cast<const T*>(source + tail + own);
}

// Steps over a row. If it is shorter than a 16-byte pack, that is one element after the other
// wherever it begins; its length is then known, and its elements are read by vectors.
template <class Reducer, uint32_t known_length, class Row>
__device__ void step_short_row(Locals<Reducer>& locals, const Row& row, uint32_t length) {
  using Value = typename Locals<Reducer>::Value;
  if constexpr (known_length > 0 && known_length < 16 / sizeof(Value)) {
    constexpr uint32_t width = known_length & -known_length;
#pragma unroll
    for (uint32_t i = 0; i < known_length; i += width) {
      const auto part = row.template read<Vec<Value, int(width)>>(i);
#pragma unroll
      for (uint32_t k = 0; k < width; ++k) Reducer::step(locals.local[0], part.items[k], i + k);
    }
  } else {
    step_row(locals, Run<Row>{row, 1, length, 0}, 0, 1);
  }
}

// Reduces rows as ShortRowsParams describes, by blocks of kShortRowsBlock threads. If
// `known_length` is not 0, it is the rows' length, and the source is aligned to 16 bytes. If
// `is_even`, every row begins at a multiple of 16 bytes.
template <class Reducer, uint32_t known_length = 0,
          bool is_even = known_length != 0 &&
                         known_length * sizeof(typename Locals<Reducer>::Value) % 16 == 0>
__device__ void short_rows_kernel(const ShortRowsParams& p) {
  using Value = typename Locals<Reducer>::Value;
  // Padding is an eighth of a tile; a row may begin up to 15 bytes behind a boundary.
  alignas(16) __shared__ unsigned char tile[kShortRowsTile + kShortRowsTile / 8 + 32];
  wait_for_previous_grid();
  const uint32_t length = known_length > 0 ? known_length : p.length;
  const uint32_t row_bytes = length * uint32_t(sizeof(Value));
  const uint32_t padding = row_bytes % 32 == 0 ? 16 : 0;
  const int64_t first = int64_t(blockIdx.x) * p.tile_rows;
  const uint32_t rows = p.rows - first < p.tile_rows ? uint32_t(p.rows - first) : p.tile_rows;
  const unsigned char* source = static_cast<const unsigned char*>(p.source) + first * row_bytes;
  const uint32_t begin = known_length > 0 || is_even ? 0 : reinterpret_cast<uint64_t>(source) % 16;
  fill_tile<Value>(tile, padding, source - begin, begin, begin + rows * row_bytes);
  __syncthreads();
  auto* target = static_cast<typename Reducer::result*>(p.target) + first;
  for (uint32_t k = threadIdx.x; k < rows; k += kShortRowsBlock) {
    const StagedRow<Value, is_even> row{tile, begin + k * row_bytes, padding};
    Locals<Reducer> locals;
    step_short_row<Reducer, known_length>(locals, row, length);
    target[k] = finished<Reducer>(locals.total(0), p.average);
  }
}

}  // namespace gpuarray
