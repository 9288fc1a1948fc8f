// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "runtime/driver/cublas_library.hpp"
#include "runtime/launch/kernel.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// The values of cudaDataType and cublasComputeType_t that are in use.
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

// A batch of matrices at equal distances in memory, each stored column by column.
struct BlasMatrix {
  const void* data;
  BlasType type;
  bool transposed;
  int64_t leading;       // elements from one column to the next
  int64_t batch_stride;  // elements from one matrix to the next, may be 0 for operands
};

// The products c = alpha * op(a) * op(b) + beta * c of `batches` matrices of m x k, k x n and m x n
// elements.
struct Gemm {
  int64_t m, n, k;
  int64_t batches;
  BlasMatrix a, b, c;
  const void* alpha;  // scalars in host memory, of the type that is computed in
  const void* beta;
  BlasCompute compute;
  int64_t workspace;  // bytes
};

// Queues products on `stream`, one after the other, with a workspace that is freed in stream order.
// Thread-safe, and may be captured. Returns false, with nothing queued, if cuBLAS does not support
// the first product. Throws OutOfMemory, and CudaError "cublasGemmEx: <status>: ...".
bool queue_gemms(std::span<const Gemm> gemms, const StreamPtr& stream, const LaunchLabel& label);

// Queues what `run` calls of cuBLAS on `stream`, with a workspace of so many bytes that is freed in
// stream order. `name` is that of the function, for errors. Thread-safe, and may be captured.
// Throws OutOfMemory, and CudaError "cublasStrsm_v2_64: <status>: ...".
void queue_cublas(const StreamPtr& stream, const LaunchLabel& label, const std::string& name,
                  int64_t workspace, const std::function<CublasStatus(CublasHandle)>& run);

}  // namespace gpuarray
