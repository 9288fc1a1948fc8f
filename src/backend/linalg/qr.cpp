// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Factorizations A = Q R by Householder reflectors.
#include <algorithm>

#include "backend/linalg/solvers.hpp"
#include "kernels/tuning.hpp"
#include "runtime/libraries/cusolver.hpp"

namespace gpuarray {
namespace {

void qr_of_one(const Matrices& a, void* tau, const StreamPtr& stream, const LaunchLabel& label) {
  const int type = library_type(a.dtype);
  const BufferPtr info = Buffer::allocate(sizeof(int32_t), stream);
  queue_cusolver(
      stream, label, "cusolverDnXgeqrf",
      [&](CusolverCall& call) {
        return cusolver().cusolverDnXgeqrf_bufferSize(
            call.handle, call.params, a.rows, a.columns, type, a.data, a.leading(), type, tau, type,
            &call.workspace_bytes, &call.host_workspace_bytes);
      },
      [&](const CusolverCall& call) {
        return cusolver().cusolverDnXgeqrf(
            call.handle, call.params, a.rows, a.columns, type, a.data, a.leading(), type, tau, type,
            call.workspace, call.workspace_bytes, call.host_workspace, call.host_workspace_bytes,
            static_cast<int*>(info->data()));
      });
}

void form_one(const Matrices& a, int64_t reflectors, const void* tau, const StreamPtr& stream,
              const LaunchLabel& label) {
  const int rows = static_cast<int>(a.rows), columns = static_cast<int>(a.columns);
  const int count = static_cast<int>(reflectors), leading = static_cast<int>(a.leading());
  const BufferPtr info = Buffer::allocate(sizeof(int32_t), stream);
  int elements = 0;
  queue_cusolver(
      stream, label, cusolver().gqr.name(a.dtype),
      [&](CusolverCall& call) {
        const CusolverStatus status = cusolver().gqr_buffer_size(a.dtype)(
            call.handle, rows, columns, count, a.data, leading, tau, &elements);
        call.workspace_bytes =
            static_cast<size_t>(elements) * static_cast<size_t>(itemsize(a.dtype));
        return status;
      },
      [&](const CusolverCall& call) {
        return cusolver().gqr(a.dtype)(call.handle, rows, columns, count, a.data, leading, tau,
                                       call.workspace, elements, static_cast<int*>(info->data()));
      });
}

const void* tau_of(const void* tau, int64_t k, int64_t reflectors, DType dtype) {
  return static_cast<const char*>(tau) + k * reflectors * itemsize(dtype);
}

// Returns whether cuBLAS and a kernel of ours take the batch at once.
bool is_batched(const Matrices& a) {
  return a.count > 1 && a.columns <= kLuBatchedRows && a.rows <= kQrBatchedRows;
}

void qr_of_batch(const Matrices& a, void* tau, const StreamPtr& stream, const LaunchLabel& label) {
  const Matrices factors{tau, a.dtype, std::min(a.rows, a.columns), 1, a.count};
  const MatrixPointers pointers = pointers_to(a, &factors, stream);
  int info = 0;  // about the arguments, in host memory
  queue_cublas(stream, label, cublas().geqrf_batched.name(a.dtype), kMatmulSmallWorkspace,
               [&](CublasHandle handle) {
                 return cublas().geqrf_batched(a.dtype)(
                     handle, static_cast<int>(a.rows), static_cast<int>(a.columns),
                     static_cast<void**>(pointers.first->data()), static_cast<int>(a.leading()),
                     static_cast<void**>(pointers.second->data()), &info,
                     static_cast<int>(a.count));
               });
}

}  // namespace

void qr(const Matrices& a, void* tau, const StreamPtr& stream, const LaunchLabel& label) {
  const int64_t reflectors = std::min(a.rows, a.columns);
  if (is_batched(a)) return qr_of_batch(a, tau, stream, label);
  for (int64_t k = 0; k < a.count; ++k)
    qr_of_one(a.from(k, 1), const_cast<void*>(tau_of(tau, k, reflectors, a.dtype)), stream, label);
}

void form_q(const Matrices& a, int64_t reflectors, const void* tau, const StreamPtr& stream,
            const LaunchLabel& label) {
  if (is_batched(a))
    return reflected({a.data, tau, a.rows, a.columns, reflectors, a.count}, stream, label);
  for (int64_t k = 0; k < a.count; ++k)
    form_one(a.from(k, 1), reflectors, tau_of(tau, k, reflectors, a.dtype), stream, label);
}

}  // namespace gpuarray
