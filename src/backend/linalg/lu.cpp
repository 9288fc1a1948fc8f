// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Factorizations P A = L U and A = L L^H, and what is solved by them.
#include <algorithm>

#include "backend/linalg/solvers.hpp"
#include "kernels/tuning.hpp"
#include "runtime/libraries/cusolver.hpp"

namespace gpuarray {
namespace {

void lu_of_one(const Matrices& a, int64_t* pivots, int32_t* info, const StreamPtr& stream,
               const LaunchLabel& label) {
  const int type = library_type(a.dtype);
  queue_cusolver(
      stream, label, "cusolverDnXgetrf",
      [&](CusolverCall& call) {
        return cusolver().cusolverDnXgetrf_bufferSize(
            call.handle, call.params, a.rows, a.columns, type, a.data, a.leading(), type,
            &call.workspace_bytes, &call.host_workspace_bytes);
      },
      [&](const CusolverCall& call) {
        return cusolver().cusolverDnXgetrf(call.handle, call.params, a.rows, a.columns, type,
                                           a.data, a.leading(), pivots, type, call.workspace,
                                           call.workspace_bytes, call.host_workspace,
                                           call.host_workspace_bytes, info);
      });
}

void solve_one(const Matrices& factors, const int64_t* pivots, const Matrices& b, int transpose,
               const StreamPtr& stream, const LaunchLabel& label) {
  const int type = library_type(b.dtype);
  const BufferPtr info = Buffer::allocate(sizeof(int32_t), stream);
  queue_cusolver(
      stream, label, "cusolverDnXgetrs", [](CusolverCall&) { return kCusolverSuccess; },
      [&](const CusolverCall& call) {
        return cusolver().cusolverDnXgetrs(call.handle, call.params, transpose, b.rows, b.columns,
                                           type, factors.data, factors.leading(), pivots, type,
                                           b.data, b.leading(), static_cast<int*>(info->data()));
      });
}

const void* one(DType dtype) {
  static constexpr float kSingle[2] = {1, 0};
  static constexpr double kDouble[2] = {1, 0};
  const bool is_double = dtype == DType::float64 || dtype == DType::complex128;
  return is_double ? static_cast<const void*>(kDouble) : kSingle;
}

void cholesky_of_one(const Matrices& a, bool upper, int32_t* info, const StreamPtr& stream,
                     const LaunchLabel& label) {
  const int type = library_type(a.dtype), side = upper ? kCublasUpper : kCublasLower;
  queue_cusolver(
      stream, label, "cusolverDnXpotrf",
      [&](CusolverCall& call) {
        return cusolver().cusolverDnXpotrf_bufferSize(
            call.handle, call.params, side, a.rows, type, a.data, a.leading(), type,
            &call.workspace_bytes, &call.host_workspace_bytes);
      },
      [&](const CusolverCall& call) {
        return cusolver().cusolverDnXpotrf(call.handle, call.params, side, a.rows, type, a.data,
                                           a.leading(), type, call.workspace, call.workspace_bytes,
                                           call.host_workspace, call.host_workspace_bytes, info);
      });
}

}  // namespace

bool lu_is_batched(int64_t count, int64_t rows, int64_t columns) {
  return count > 1 && rows == columns && rows <= kLuBatchedRows;
}

void lu(const Matrices& a, void* pivots, int32_t* info, const StreamPtr& stream,
        const LaunchLabel& label) {
  if (!lu_is_batched(a.count, a.rows, a.columns)) {
    const int64_t least = std::min(a.rows, a.columns);
    for (int64_t k = 0; k < a.count; ++k)
      lu_of_one(a.from(k, 1), static_cast<int64_t*>(pivots) + k * least, info + k, stream, label);
    return;
  }
  const MatrixPointers pointers = pointers_to(a, nullptr, stream);
  queue_cublas(stream, label, cublas().getrf_batched.name(a.dtype), kMatmulSmallWorkspace,
               [&](CublasHandle handle) {
                 return cublas().getrf_batched(a.dtype)(
                     handle, static_cast<int>(a.rows), static_cast<void**>(pointers.first->data()),
                     static_cast<int>(a.leading()), static_cast<int*>(pivots), info,
                     static_cast<int>(a.count));
               });
}

void lu_solve(const Matrices& factors, const void* pivots, bool wide, const Matrices& b,
              int transpose, const StreamPtr& stream, const LaunchLabel& label) {
  if (wide) {
    for (int64_t k = 0; k < b.count; ++k)
      solve_one(factors.from(k, 1), static_cast<const int64_t*>(pivots) + k * b.rows, b.from(k, 1),
                transpose, stream, label);
    return;
  }
  const MatrixPointers pointers = pointers_to(factors, &b, stream);
  int info = 0;  // about the arguments, in host memory
  queue_cublas(stream, label, cublas().getrs_batched.name(b.dtype), kMatmulSmallWorkspace,
               [&](CublasHandle handle) {
                 return cublas().getrs_batched(b.dtype)(
                     handle, transpose, static_cast<int>(b.rows), static_cast<int>(b.columns),
                     static_cast<const void* const*>(pointers.first->data()),
                     static_cast<int>(factors.leading()), static_cast<const int*>(pivots),
                     static_cast<void**>(pointers.second->data()), static_cast<int>(b.leading()),
                     &info, static_cast<int>(b.count));
               });
}

void triangular_solve(const Matrices& a, const Matrices& b, bool upper, bool unit, int transpose,
                      const StreamPtr& stream, const LaunchLabel& label) {
  const int side = upper ? kCublasUpper : kCublasLower;
  const int diagonal = unit ? kCublasUnit : kCublasNonUnit;
  if (b.count == 1) {
    queue_cublas(stream, label, cublas().trsm.name(b.dtype), kMatmulSmallWorkspace,
                 [&](CublasHandle handle) {
                   return cublas().trsm(b.dtype)(handle, kCublasLeft, side, transpose, diagonal,
                                                 b.rows, b.columns, one(b.dtype), a.data,
                                                 a.leading(), b.data, b.leading());
                 });
    return;
  }
  const MatrixPointers pointers = pointers_to(a, &b, stream);
  queue_cublas(stream, label, cublas().trsm_batched.name(b.dtype), kMatmulSmallWorkspace,
               [&](CublasHandle handle) {
                 return cublas().trsm_batched(b.dtype)(
                     handle, kCublasLeft, side, transpose, diagonal, b.rows, b.columns,
                     one(b.dtype), static_cast<const void* const*>(pointers.first->data()),
                     a.leading(), static_cast<void**>(pointers.second->data()), b.leading(),
                     b.count);
               });
}

void cholesky(const Matrices& a, bool upper, int32_t* info, const StreamPtr& stream,
              const LaunchLabel& label) {
  if (a.count == 1 || a.rows > kLuBatchedRows) {
    for (int64_t k = 0; k < a.count; ++k)
      cholesky_of_one(a.from(k, 1), upper, info + k, stream, label);
    return;
  }
  const MatrixPointers pointers = pointers_to(a, nullptr, stream);
  queue_cusolver(
      stream, label, cusolver().potrf_batched.name(a.dtype),
      [](CusolverCall&) { return kCusolverSuccess; },
      [&](const CusolverCall& call) {
        return cusolver().potrf_batched(a.dtype)(
            call.handle, upper ? kCublasUpper : kCublasLower, static_cast<int>(a.rows),
            static_cast<void**>(pointers.first->data()), static_cast<int>(a.leading()), info,
            static_cast<int>(a.count));
      });
}

}  // namespace gpuarray
