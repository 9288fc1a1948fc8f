// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/errors/note_error.cuh"
#include "kernels/indexing/index_axis.hpp"

namespace gpuarray {

// Writes an index out of bounds to the axis's record, unless the record already holds an error.
__device__ __noinline__ inline void note_index_error(const IndexAxis& axis, int64_t index) {
  note_first(axis.record, [&](ErrorRecord& record) {
    record.kind = NotedKind::index;
    record.axis = axis.axis;
    record.index = index;
    record.length = axis.length;
    record.operation = axis.operation;
  });
}

// Notes an index that has no offset if its axis raises errors.
__device__ inline void note_if_beyond(const IndexAxis& axis, int64_t index) {
  if (axis.mode == IndexMode::raise) note_index_error(axis, index);
}

}  // namespace gpuarray
