// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Selection in rows: finds the element that a sort would put at a rank, the bound, and splits the
// row by it. The bound's key is found digit by digit from the highest on, each time among the
// elements that have the digits found before (radix selection: Alabi et al., "Fast k-Selection
// Algorithms for Graphics Processing Units", 2012). Then each warp counts what is before the bound
// and equal to it in its stretch of the row, and once the counts are summed up, it knows where its
// elements go, in the order in which they lie. The last block of a row to finish a kernel prepares
// the next one, so that nothing waits for the host.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/sort/sort_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

inline constexpr int kSelectRowsWarps = kSelectRowsBlock / 32;

// Says which part of its row a warp takes: the elements [begin, end).
struct RowStretch {
  int64_t row;
  int32_t warp;  // among those of the row
  int32_t lane;
  int64_t begin;
  int64_t end;

  __device__ explicit RowStretch(const SelectRows& p) {
    row = blockIdx.x / uint32_t(p.row_blocks);
    const auto block = int32_t(blockIdx.x - uint32_t(row) * uint32_t(p.row_blocks));
    warp = block * kSelectRowsWarps + int32_t(threadIdx.x >> 5);
    lane = int32_t(threadIdx.x & 31);
    begin = warp * p.stretch < p.length ? warp * p.stretch : p.length;
    end = begin + p.stretch < p.length ? begin + p.stretch : p.length;
  }
};

// Calls visit(column, bits, key, inside) for each element of the warp's stretch, in order: all
// lanes together for 32 neighbours, of which those that are `inside` exist.
template <class T, class Visit>
__device__ void visit_stretch(const SelectRows& p, const RowStretch& own, Visit visit) {
  constexpr int kRounds = sizeof(T) < 4 ? 8 : 4;  // loads that a thread has in flight
  const KeyOrder<T> order{p.kind, T(p.infinity)};
  const T* const source = static_cast<const T*>(p.source) + own.row * p.length;
  for (int64_t first = own.begin + own.lane; first - own.lane < own.end; first += kRounds * 32) {
    T bits[kRounds];
#pragma unroll
    for (int round = 0; round < kRounds; ++round)
      if (first + round * 32 < own.end) bits[round] = source[first + round * 32];
#pragma unroll
    for (int round = 0; round < kRounds; ++round) {
      const int64_t column = first + round * 32;
      const bool inside = column < own.end;
      T key = inside ? order_of_bits(bits[round], order) : T(0);
      if (p.descending) key = T(~key);
      visit(column, bits[round], key, inside);
    }
  }
}

// Returns whether this block is the last of its row to finish, so that it sees what the others
// wrote; all threads of the block must call it.
__device__ inline bool is_last_of_row(const SelectRows& p, int64_t row) {
  __shared__ bool is_last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicAdd(&p.bounds[row].finished, 1u) + 1 == uint32_t(p.row_blocks);
    if (is_last) p.bounds[row].finished = 0;
  }
  __syncthreads();
  if (!is_last) return false;
  __threadfence();
  return true;
}

// Returns the sum of the numbers of lower threads; all threads of the block must call it.
__device__ inline uint64_t sum_of_lower_threads(uint64_t own) {
  __shared__ uint64_t sums[kSelectRowsWarps];
  const int lane = int(threadIdx.x & 31), warp = int(threadIdx.x >> 5);
  uint64_t sum = own;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const uint64_t lower = __shfl_up_sync(0xffffffff, sum, step);
    if (lane >= step) sum += lower;
  }
  if (lane == 31) sums[warp] = sum;
  __syncthreads();
  for (int k = 0; k < warp; ++k) sum += sums[k];
  return sum - own;
}

// Finds the bin in which the bound of the row lies, and adds its digit to those that are found.
// `bins`, in shared memory, gets the counts of all blocks; those in global memory become 0.
__device__ inline void choose_digit(const SelectRows& p, int64_t row, uint32_t* bins) {
  constexpr int kOwn = kSelectBins / kSelectRowsBlock;
  SelectBound& bound = p.bounds[row];
  uint32_t* const counted = p.bins + row * kSelectBins;
  for (int k = threadIdx.x; k < kSelectBins; k += kSelectRowsBlock) {
    bins[k] = k >> p.bits == 0 ? counted[k] : 0;
    if (bins[k] != 0) counted[k] = 0;
  }
  const auto rank = uint64_t(p.rank) - bound.before;  // among the elements counted
  __syncthreads();
  const int first = int(threadIdx.x) * kOwn;
  uint32_t sum = 0;
#pragma unroll
  for (int k = 0; k < kOwn; ++k) sum += bins[first + k];
  uint64_t before = sum_of_lower_threads(sum);
  if (rank < before || rank >= before + sum) return;
  int digit = first;
  for (; rank >= before + bins[digit]; ++digit) before += bins[digit];
  bound.key |= uint64_t(digit) << p.shift;
  bound.before += uint32_t(before);
  bound.equal = bins[digit];
}

// Finds the next digit of the bound of each row. Blocks have kSelectRowsBlock threads, and
// p.row_blocks of them take a row; this holds for all kernels here. T is the unsigned integer of
// the element's size.
template <class T>
__device__ void select_digit(const SelectRows& p) {
  __shared__ uint32_t bins[kSelectBins];
  wait_for_previous_grid();
  const RowStretch own(p);
  for (int k = threadIdx.x; k >> p.bits == 0; k += kSelectRowsBlock) bins[k] = 0;
  __syncthreads();
  const auto found = T(p.bounds[own.row].key), found_digits = T(p.found_digits);
  const uint32_t mask = (1u << p.bits) - 1;
  uint32_t digit = 0, count = 0;  // equal digits of a thread in a row are counted at once
  visit_stretch<T>(p, own, [&](int64_t, T, T key, bool inside) {
    if (!inside || ((key ^ found) & found_digits) != 0) return;
    const uint32_t next = uint32_t(key >> p.shift) & mask;
    if (next != digit) {
      if (count > 0) atomicAdd(bins + digit, count);
      digit = next;
      count = 0;
    }
    ++count;
  });
  if (count > 0) atomicAdd(bins + digit, count);
  __syncthreads();
  uint32_t* const counted = p.bins + own.row * kSelectBins;
  for (int k = threadIdx.x; k >> p.bits == 0; k += kSelectRowsBlock)
    if (bins[k] != 0) atomicAdd(counted + k, bins[k]);
  if (is_last_of_row(p, own.row)) choose_digit(p, own.row, bins);
}

// Replaces the counts of the row's stretches by the sums of those before each.
__device__ inline void sum_stretches(const SelectRows& p, uint64_t* counts) {
  const int stretches = p.row_blocks * kSelectRowsWarps;
  const int share = (stretches + kSelectRowsBlock - 1) / kSelectRowsBlock;
  const int first = int(threadIdx.x) * share;
  const int last = first + share < stretches ? first + share : stretches;
  uint64_t sum = 0;
  for (int k = first; k < last; ++k) sum += counts[k];
  uint64_t before = sum_of_lower_threads(sum);
  for (int k = first; k < last; ++k) {
    const uint64_t count = counts[k];
    counts[k] = before;
    before += count;
  }
}

// Counts the elements before the bound, in the upper half of a count, and those equal to it in the
// lower half, in each stretch; then sums them up.
template <class T>
__device__ void select_count(const SelectRows& p) {
  wait_for_previous_grid();
  const RowStretch own(p);
  const auto bound = T(p.bounds[own.row].key);
  uint32_t before = 0, equal = 0;
  visit_stretch<T>(p, own, [&](int64_t, T, T key, bool inside) {
    before += uint32_t(inside && key < bound);
    equal += uint32_t(inside && key == bound);
  });
  uint64_t count = uint64_t(before) << 32 | equal;
#pragma unroll
  for (int step = 16; step > 0; step /= 2) count += __shfl_xor_sync(0xffffffff, count, step);
  uint64_t* const counts = p.counts + own.row * p.row_blocks * kSelectRowsWarps;
  if (own.lane == 0) counts[own.warp] = count;
  if (is_last_of_row(p, own.row)) sum_stretches(p, counts);
}

// Writes the elements before the bound, those equal to it and those after it, one behind the other,
// as far as they belong to the first p.kept of the row.
template <class T>
__device__ void select_split(const SelectRows& p) {
  wait_for_previous_grid();
  const RowStretch own(p);
  const SelectBound found = p.bounds[own.row];
  const auto bound = T(found.key);
  const int stretches = p.row_blocks * kSelectRowsWarps;
  const uint64_t* const counts = p.counts + own.row * stretches;
  const uint64_t sum = counts[own.warp];
  const uint64_t next =
      own.warp + 1 < stretches ? counts[own.warp + 1] : uint64_t(found.before) << 32 | found.equal;
  int64_t before = int64_t(sum >> 32), equal = int64_t(found.before) + uint32_t(sum);
  int64_t after = int64_t(found.equal) + own.begin + found.before - before - uint32_t(sum);
  const bool has_equal = uint32_t(next) != uint32_t(sum) && equal < p.kept;
  if (next >> 32 == sum >> 32 && !has_equal && after >= p.kept) return;

  const uint32_t lower = (1u << own.lane) - 1;
  visit_stretch<T>(p, own, [&](int64_t column, T bits, T key, bool inside) {
    const bool is_before = inside && key < bound, is_equal = inside && key == bound;
    const uint32_t befores = __ballot_sync(0xffffffff, is_before);
    const uint32_t equals = __ballot_sync(0xffffffff, is_equal);
    const uint32_t afters = __ballot_sync(0xffffffff, inside) & ~(befores | equals);
    int64_t place = after + __popc(afters & lower);
    if (is_equal) place = equal + __popc(equals & lower);
    if (is_before) place = before + __popc(befores & lower);
    before += __popc(befores);
    equal += __popc(equals);
    after += __popc(afters);
    if (!inside || place >= p.kept) return;
    place += own.row * p.kept;
    if (p.values != nullptr) static_cast<T*>(p.values)[place] = bits;
    if (p.positions != nullptr) p.positions[place] = column;
  });
}

}  // namespace gpuarray
