// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/dims.hpp"
#include "kernels/errors/noted_error.hpp"
#include "runtime/stream/noted_errors.hpp"

namespace gpuarray {

static_assert(sizeof(NotedError) == sizeof(ErrorRecord) &&
              offsetof(NotedError, kind) == offsetof(ErrorRecord, kind) &&
              offsetof(NotedError, operation) == offsetof(ErrorRecord, operation) &&
              NotedError::kAxes == kNotedAxes &&
              static_cast<int>(NotedError::Kind::not_finite) ==
                  static_cast<int>(NotedKind::not_finite));

// Returns the record that kernels of the device write errors to.
inline ErrorRecord* error_record(Device device) {
  return reinterpret_cast<ErrorRecord*>(noted_error(device));
}

// Returns what kernels note errors with about a batch of matrices, or about the part of it that
// begins with matrix number `first`. `operation` lives for the process.
inline MatrixErrors matrix_errors(const char* operation, const Shape& batch, Device device,
                                  int64_t first = 0) {
  MatrixErrors errors{};
  errors.record = error_record(device);
  errors.operation = operation;
  errors.first = first;
  errors.ndim = batch.size() <= kNotedAxes ? batch.size() : -1;
  for (int axis = 0; axis < errors.ndim; ++axis) errors.batch[axis] = batch[axis];
  return errors;
}

}  // namespace gpuarray
