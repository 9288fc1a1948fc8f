// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Stands for libcublas (GPUARRAY_LIBCUBLAS): checks its arguments as cuBLAS does, and launches one
// plain kernel on the test driver. What was asked of it can be read back.
#include "stub_blas.hpp"

#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "../solver/driver_call.hpp"
#include "gemm.hpp"

namespace {

constexpr int kSuccess = 0, kInvalidValue = 7, kExecutionFailed = 13, kNotSupported = 15;
constexpr int kInt8 = 3, kInt32 = 10;
constexpr int64_t kBlock = 64;

std::atomic<int> next_status = kSuccess;
std::mutex mutex;
std::string record;

Handle kernel() {
  static const Handle found = load_kernel("gpuarray test driver: stub_gemm", "stub_gemm");
  return found;
}

bool fits(const GemmMatrix& matrix, int64_t rows, int64_t columns) {
  const int64_t height = matrix.transposed != 0 ? columns : rows;
  return matrix.leading >= (height > 1 ? height : 1);
}

bool is_in_words(const GemmMatrix& matrix) {
  return reinterpret_cast<uintptr_t>(matrix.data) % 4 == 0 && matrix.leading % 4 == 0 &&
         matrix.batch_stride % 4 == 0;
}

// Returns the bytes of alpha and of beta.
size_t factor_bytes(int type) {
  if (type == 1 || type == 4) return 8;
  return type == 5 ? 16 : 4;
}

void note(const GemmArguments& p, int compute) {
  auto matrix = [](const GemmMatrix& m) {
    return std::string(m.transposed != 0 ? " T " : " N ") +
           std::to_string(reinterpret_cast<uintptr_t>(m.data)) + " " + std::to_string(m.leading) +
           " " + std::to_string(m.batch_stride);
  };
  std::lock_guard lock(mutex);
  record += std::to_string(p.m) + " " + std::to_string(p.n) + " " + std::to_string(p.k) + " " +
            std::to_string(p.batches) + matrix(p.a) + matrix(p.b) + matrix(p.c) + " " +
            std::to_string(p.type) + " " + std::to_string(compute) + " " +
            std::to_string(p.workspace_bytes) + "\n";
}

int multiply(Handle handle, GemmArguments p, const void* alpha, const void* beta, int type_b,
             int type_c, int compute) {
  if (const int status = next_status.exchange(kSuccess); status != kSuccess) return status;
  const auto& blas = *static_cast<const Blas*>(handle);
  if (p.m < 1 || p.n < 1 || p.k < 1 || p.batches < 1) return kInvalidValue;
  if (p.type != type_b || type_c != (p.type == kInt8 ? kInt32 : p.type)) return kNotSupported;
  if (!fits(p.a, p.m, p.k) || !fits(p.b, p.k, p.n) || !fits(p.c, p.m, p.n)) return kInvalidValue;
  if (p.type == kInt8 && !(is_in_words(p.a) && is_in_words(p.b))) return kNotSupported;
  p.workspace = blas.workspace;
  p.workspace_bytes = blas.workspace_bytes;
  std::memcpy(p.alpha, alpha, factor_bytes(p.type));
  std::memcpy(p.beta, beta, factor_bytes(p.type));
  note(p, compute);
  const int64_t count = p.m * p.n * p.batches;
  const int status =
      launch_kernel(kernel(), (count + kBlock - 1) / kBlock, kBlock, blas.stream, &p);
  return status == 0 ? kSuccess : kExecutionFailed;
}

}  // namespace

extern "C" {

// Returns the products since the last call, a line each. The text is valid until the next call.
const char* stub_blas_take_record() {
  static std::string taken;
  std::lock_guard lock(mutex);
  taken = std::exchange(record, "");
  return taken.c_str();
}
// Makes the next product fail with this status.
void stub_blas_fail(int status) { next_status = status; }

int cublasGetProperty(int part, int* value) {
  *value = part == 0 ? 13 : 0;
  return kSuccess;
}
const char* cublasGetStatusName(int status) {
  if (status == 3) return "CUBLAS_STATUS_ALLOC_FAILED";
  return status == kExecutionFailed ? "CUBLAS_STATUS_EXECUTION_FAILED" : "CUBLAS_STATUS_OF_STUB";
}
const char* cublasGetStatusString(int) { return "error of the stand-in for cuBLAS"; }
int cublasCreate_v2(Handle* handle) {
  *handle = new Blas;
  return kSuccess;
}
int cublasSetMathMode(Handle, int) { return kSuccess; }
int cublasSetStream_v2(Handle handle, Handle stream) {
  *static_cast<Blas*>(handle) = {stream, nullptr, 0};
  return kSuccess;
}
int cublasSetWorkspace_v2(Handle handle, void* workspace, size_t nbytes) {
  auto& blas = *static_cast<Blas*>(handle);
  blas.workspace = static_cast<char*>(workspace);
  blas.workspace_bytes = static_cast<int64_t>(nbytes);
  return kSuccess;
}

int cublasGemmStridedBatchedEx_64(Handle handle, int op_a, int op_b, int64_t m, int64_t n,
                                  int64_t k, const void* alpha, const void* a, int type_a,
                                  int64_t lda, long long stride_a, const void* b, int type_b,
                                  int64_t ldb, long long stride_b, const void* beta, void* c,
                                  int type_c, int64_t ldc, long long stride_c, int64_t batches,
                                  int compute, int) {
  auto matrix = [](const void* data, int op, int64_t leading, int64_t stride) {
    return GemmMatrix{static_cast<char*>(const_cast<void*>(data)), op, leading, stride};
  };
  GemmArguments p{};
  p.m = m;
  p.n = n;
  p.k = k;
  p.batches = batches;
  p.a = matrix(a, op_a, lda, stride_a);
  p.b = matrix(b, op_b, ldb, stride_b);
  p.c = matrix(c, 0, ldc, stride_c);
  p.type = type_a;
  return multiply(handle, p, alpha, beta, type_b, type_c, compute);
}

int cublasGemmEx_64(Handle handle, int op_a, int op_b, int64_t m, int64_t n, int64_t k,
                    const void* alpha, const void* a, int type_a, int64_t lda, const void* b,
                    int type_b, int64_t ldb, const void* beta, void* c, int type_c, int64_t ldc,
                    int compute, int algorithm) {
  return cublasGemmStridedBatchedEx_64(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, 0, b,
                                       type_b, ldb, 0, beta, c, type_c, ldc, 0, 1, compute,
                                       algorithm);
}
}
