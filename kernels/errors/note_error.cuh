// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/errors/noted_error.hpp"

namespace gpuarray {

// Calls write(record) unless the record already holds an error. The record is host memory, which
// kernels without errors do not touch.
template <class Write>
__device__ inline void note_first(ErrorRecord* record, const Write& write) {
  if (*static_cast<volatile uint32_t*>(&record->state) != 0) return;
  if (atomicCAS(&record->state, 0u, 1u) != 0) return;
  write(*record);
  __threadfence_system();
  *static_cast<volatile uint32_t*>(&record->state) = 2;
}

// Notes that the kernel's matrix number `matrix` is of this kind. One thread of those that compute
// the matrix calls it.
__device__ __noinline__ inline void note_error(const MatrixErrors& errors, NotedKind kind,
                                               int64_t matrix) {
  note_first(errors.record, [&](ErrorRecord& record) {
    record.kind = kind;
    record.index = errors.first + matrix;
    record.ndim = errors.ndim;
    for (int axis = 0; axis < errors.ndim; ++axis) record.batch[axis] = errors.batch[axis];
    record.operation = errors.operation;
  });
}

}  // namespace gpuarray
