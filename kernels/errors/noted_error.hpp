// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Errors that kernels find in the values of arrays, for host and device.
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// What a kernel has found. All but `index` are about a matrix.
enum class NotedKind : int32_t {
  index,
  singular,
  not_positive_definite,
  no_convergence,
  not_finite
};

// The most axes of a batch that an error tells apart; of more it gives the number of the matrix.
inline constexpr int kNotedAxes = 8;

// Holds the first error that kernels of a device have found, in host memory that they write.
// `state` is 0 while there is none, 1 while a kernel writes the fields, and 2 until the host has
// raised the error.
struct ErrorRecord {
  uint32_t state;
  NotedKind kind;
  int32_t axis;               // the axis of the index; of a matrix unused
  int32_t ndim;               // axes of the batch, -1 if its shape is unknown; of an index unused
  int64_t index;              // the index, or the number of the matrix in its batch
  int64_t length;             // elements of the axis; of a matrix unused
  const char* operation;      // lives for the process
  int64_t batch[kNotedAxes];  // shape of the batch
};

// Describes the batch of matrices of an operation, for the errors about them. It is a member of the
// parameters of kernels.
struct MatrixErrors {
  ErrorRecord* record;        // where kernels on cuda note the error
  const char* operation;      // name of the operation; lives for the process
  int64_t first;              // number of the kernel's first matrix in the batch
  int32_t ndim;               // axes of the batch, -1 if it has more than kNotedAxes
  int64_t batch[kNotedAxes];  // shape of the batch
};

}  // namespace gpuarray
