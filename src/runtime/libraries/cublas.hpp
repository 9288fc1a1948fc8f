// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "runtime/launch/kernel.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// The numbers of cudaDataType and cublasComputeType_t in use.
enum class BlasType : int {
  float32 = 0,
  float64 = 1,
  float16 = 2,
  int8 = 3,
  complex64 = 4,
  complex128 = 5,
  int32 = 10,
  bfloat16 = 14,
};
enum class BlasCompute : int { float32 = 68, float64 = 70, int32 = 72, tf32 = 77 };

// Matrices at one distance from each other, each column by column.
struct BlasMatrix {
  const void* data;
  BlasType type;
  bool transposed;
  int64_t leading;       // elements from one column to the next
  int64_t batch_stride;  // elements from one matrix to the next, may be 0 for operands
};

// c = alpha * op(a) * op(b) + beta * c, of m x k, k x n and m x n elements, `batches` times.
struct Gemm {
  int64_t m, n, k;
  int64_t batches;
  BlasMatrix a, b, c;
  const void* alpha;  // in host memory, of the type that is computed in
  const void* beta;
  BlasCompute compute;
  int64_t workspace;  // bytes
};

// Queues products on `stream`, one after the other, with a workspace that is freed in the order of
// the stream; any thread, captured or not. False, with nothing queued, where cuBLAS does not
// support the first. Throws OutOfMemory and CudaError "cublasGemmStridedBatchedEx: <status>: ...".
bool queue_gemms(std::span<const Gemm> gemms, const StreamPtr& stream, const LaunchLabel& label);

}  // namespace gpuarray
