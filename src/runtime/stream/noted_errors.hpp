// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
// Reports errors in the values of arrays, which kernels find long after the call that gave them.
#pragma once

#include <cstdint>

#include "core/device.hpp"

namespace gpuarray {

// The first error of a CUDA device, as kernels write it: backend/error_record.hpp compares it
// with their ErrorRecord (kernels/errors/noted_error.hpp), which says what the fields are.
struct NotedError {
  static constexpr int kAxes = 8;
  enum class Kind : int32_t { index, singular, not_positive_definite, no_convergence, not_finite };

  uint32_t state;  // 0: none, 1: being written or read, 2: complete
  Kind kind;
  int32_t axis;
  int32_t ndim;
  int64_t index;
  int64_t length;
  const char* operation;
  int64_t batch[kAxes];
};

// Throws IndexError "take: index 7 is out of bounds for axis 0 with size 5".
[[noreturn]] void throw_index_error(const char* operation, int64_t index, int axis, int64_t length);

// Throws the error: IndexError for an index, else LinAlgError, as "solve: matrix (1, 3) of the
// batch is singular".
[[noreturn]] void throw_noted_error(const NotedError& error);

// Returns the record that kernels of the device write to. It lies in page-locked memory, is
// allocated at the first use and never freed. Throws DeviceError and CudaError.
NotedError* noted_error(Device device);

// Throws the error of the device's record, if there is one, and clears it. Every wait that the
// caller has asked for ends with this; does nothing on cpu.
void raise_noted_errors(Device device);

}  // namespace gpuarray
