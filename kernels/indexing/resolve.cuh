// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Kernels that make one array of positions of several index arrays, and that drop all but the last
// of the positions that repeat. Any launch shape works: the threads of the grid loop over the
// positions.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/element/layout.cuh"
#include "kernels/indexing/index_errors.cuh"
#include "kernels/indexing/indexed_params.hpp"

namespace gpuarray {

// Writes the positions that ResolveParams describes, and notes indices out of bounds.
__device__ inline void resolve_kernel(const ResolveParams& p) {
  wait_for_previous_grid();
  const bool narrow = p.size <= 0xffffffff;
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; at < p.size; at += step) {
    int64_t offsets[1 + kResolveAxes];
    find_offsets(at, narrow, p.ndim, p.shape, p.strides, offsets);
    int64_t position = offsets[0];
    bool inside = true;
    for (int k = 0; k < p.count; ++k) {
      const int64_t index = p.index[k][offsets[1 + k]];
      int64_t offset;
      const bool found = p.axes[k].find(index, offset);
      if (!found) note_if_beyond(p.axes[k], index);
      inside = inside && found;
      position += offset;
    }
    if (p.adds) {
      inside = inside && p.positions[at] != kNowhere;
      position += inside ? p.positions[at] : 0;
    }
    p.positions[at] = inside ? position : kNowhere;
  }
}

// Sets *target to the larger of itself and `value`, atomically.
__device__ inline void raise_to(uint32_t* target, uint32_t value) { atomicMax(target, value); }
__device__ inline void raise_to(uint64_t* target, uint64_t value) {
  atomicMax(reinterpret_cast<unsigned long long*>(target), static_cast<unsigned long long>(value));
}

// Leaves in each slot's winner the largest number, plus 1, of a position with that slot. Number is
// uint32_t or uint64_t, whichever holds the size.
template <class Number>
__device__ void claim_kernel(const WinnerParams& p) {
  wait_for_previous_grid();
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; at < p.size; at += step)
    if (p.slots[at] != kNowhere)
      raise_to(static_cast<Number*>(p.winners) + p.slots[at], Number(at + 1));
}

// Drops (makes kNowhere) the positions that did not win their slot; runs after claim_kernel.
template <class Number>
__device__ void drop_kernel(const WinnerParams& p) {
  wait_for_previous_grid();
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; at < p.size; at += step) {
    const int64_t slot = p.slots[at];
    const bool wins =
        slot != kNowhere && static_cast<const Number*>(p.winners)[slot] == Number(at + 1);
    if (!wins) p.positions[at] = kNowhere;
  }
}

// Does the work of both kernels for few positions, without memory for winners: a warp takes each
// position and looks for its slot among those after it. Slots and positions may be the same array,
// because the last one with a value is never dropped. Blocks must be whole warps.
__device__ inline void drop_few_kernel(const WinnerParams& p) {
  wait_for_previous_grid();
  const uint32_t lane = threadIdx.x & 31;
  const int64_t step = int64_t(gridDim.x) * blockDim.x / 32;
  for (int64_t at = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32; at < p.size;
       at += step) {
    const int64_t slot = p.slots[at];
    bool repeats = slot == kNowhere;
    for (int64_t later = at + 1 + lane; later < p.size && !repeats; later += 32)
      repeats = p.slots[later] == slot;
    if (__ballot_sync(0xffffffff, repeats) != 0 && lane == 0) p.positions[at] = kNowhere;
  }
}

}  // namespace gpuarray
