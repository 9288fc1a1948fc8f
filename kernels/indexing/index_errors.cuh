// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/indexing/index_axis.hpp"

namespace gpuarray {

// Writes an index out of bounds to the axis's record, unless the record already holds one. The
// record is host memory, which kernels without errors do not touch.
__device__ __noinline__ inline void note_index_error(const IndexAxis& axis, int64_t index) {
  IndexErrorRecord* record = axis.record;
  if (*static_cast<volatile uint32_t*>(&record->state) != 0) return;
  if (atomicCAS(&record->state, 0u, 1u) != 0) return;
  record->axis = axis.axis;
  record->index = index;
  record->length = axis.length;
  record->operation = axis.operation;
  __threadfence_system();
  *static_cast<volatile uint32_t*>(&record->state) = 2;
}

// Notes an index that has no offset if its axis raises errors.
__device__ inline void note_if_beyond(const IndexAxis& axis, int64_t index) {
  if (axis.mode == IndexMode::raise) note_index_error(axis, index);
}

}  // namespace gpuarray
