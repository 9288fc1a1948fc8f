// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "core/dims.hpp"
#include "core/dtype.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/libraries/cublas.hpp"
#include "runtime/stream/launch_log.hpp"

namespace gpuarray {

// A contiguous batch of matrices on a CUDA device, each stored column by column: what numpy calls
// the transposes of C-contiguous matrices. The dtype is one of float32, float64, complex64 and
// complex128.
struct Matrices {
  void* data = nullptr;
  DType dtype = DType::float64;
  int64_t rows = 0, columns = 0;
  int64_t count = 0;  // matrices

  int64_t step() const { return rows * columns * itemsize(dtype); }  // bytes
  void* matrix(int64_t k) const { return static_cast<char*>(data) + k * step(); }
  int64_t leading() const { return rows > 0 ? rows : 1; }
  // The matrices from number `first` on.
  Matrices from(int64_t first, int64_t number) const {
    return {matrix(first), dtype, rows, columns, number};
  }
};

// Returns the dtype's number of a library, and that of its real parts.
int library_type(DType dtype);
int library_real_type(DType dtype);

// Writes the addresses of the matrices of one batch, or of two of the same count, to new memory.
struct MatrixPointers {
  BufferPtr first, second;
};
MatrixPointers pointers_to(const Matrices& first, const Matrices* second, const StreamPtr& stream);

}  // namespace gpuarray
