// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Eigenvalues and singular values.
#include <algorithm>

#include "backend/linalg/solvers.hpp"
#include "core/error.hpp"
#include "kernels/tuning.hpp"
#include "runtime/libraries/cusolver.hpp"

namespace gpuarray {
namespace {

// What the routines of hermitian matrices take beside the memory.
struct Hermitian {
  int job, side, type, real;

  Hermitian(const Matrices& a, bool upper, bool vectors)
      : job(vectors ? kCusolverVectors : kCusolverNoVectors),
        side(upper ? kCublasUpper : kCublasLower),
        type(library_type(a.dtype)),
        real(library_real_type(a.dtype)) {}
};

void* values_from(void* values, int64_t first, const Matrices& a) {
  return static_cast<char*>(values) + first * a.columns * itemsize(real_dtype(a.dtype));
}

// Waits for the device.
void eigh_of_one(const Matrices& a, const Hermitian& how, void* values, int32_t* info,
                 const StreamPtr& stream, const LaunchLabel& label) {
  require_no_capture(*stream, label.operation);
  queue_cusolver(
      stream, label, "cusolverDnXsyevd",
      [&](CusolverCall& call) {
        return cusolver().cusolverDnXsyevd_bufferSize(
            call.handle, call.params, how.job, how.side, a.rows, how.type, a.data, a.leading(),
            how.real, values, how.type, &call.workspace_bytes, &call.host_workspace_bytes);
      },
      [&](const CusolverCall& call) {
        return cusolver().cusolverDnXsyevd(call.handle, call.params, how.job, how.side, a.rows,
                                           how.type, a.data, a.leading(), how.real, values,
                                           how.type, call.workspace, call.workspace_bytes,
                                           call.host_workspace, call.host_workspace_bytes, info);
      });
}

// Takes as many of the matrices as the bounds of the workspace allow, and returns how many.
int64_t eigh_of_some(const Matrices& a, const Hermitian& how, void* values, int32_t* info,
                     const StreamPtr& stream, const LaunchLabel& label) {
  int64_t count = std::min<int64_t>(a.count, kEighBatch);
  const size_t most = std::max<size_t>(static_cast<size_t>(2 * a.count * a.step()),
                                       static_cast<size_t>(kEighWorkspace));
  queue_cusolver(
      stream, label, "cusolverDnXsyevBatched",
      [&](CusolverCall& call) {
        for (;; count = (count + 1) / 2) {
          const CusolverStatus status = cusolver().cusolverDnXsyevBatched_bufferSize(
              call.handle, call.params, how.job, how.side, a.rows, how.type, a.data, a.leading(),
              how.real, values, how.type, &call.workspace_bytes, &call.host_workspace_bytes, count);
          if (status != kCusolverSuccess || call.workspace_bytes <= most || count == 1)
            return status;
        }
      },
      [&](const CusolverCall& call) {
        return cusolver().cusolverDnXsyevBatched(
            call.handle, call.params, how.job, how.side, a.rows, how.type, a.data, a.leading(),
            how.real, values, how.type, call.workspace, call.workspace_bytes, call.host_workspace,
            call.host_workspace_bytes, info, count);
      });
  return count;
}

// Waits for the device.
void svd_of_one(const Matrices& a, void* values, const Matrices& u, const Matrices& vt,
                int32_t* info, const StreamPtr& stream, const LaunchLabel& label) {
  const int type = library_type(a.dtype), real = library_real_type(a.dtype);
  const signed char none = 'N', some = 'S', all = 'A';
  const signed char job_u = u.data == nullptr ? none : u.columns == a.columns ? some : all;
  const signed char job_vt = u.data == nullptr ? none : all;
  const int64_t leading_vt = std::max<int64_t>(vt.rows, 1);
  const int64_t leading_u = std::max<int64_t>(u.rows, 1);
  queue_cusolver(
      stream, label, "cusolverDnXgesvd",
      [&](CusolverCall& call) {
        return cusolver().cusolverDnXgesvd_bufferSize(
            call.handle, call.params, job_u, job_vt, a.rows, a.columns, type, a.data, a.leading(),
            real, values, type, u.data, leading_u, type, vt.data, leading_vt, type,
            &call.workspace_bytes, &call.host_workspace_bytes);
      },
      [&](const CusolverCall& call) {
        return cusolver().cusolverDnXgesvd(
            call.handle, call.params, job_u, job_vt, a.rows, a.columns, type, a.data, a.leading(),
            real, values, type, u.data, leading_u, type, vt.data, leading_vt, type, call.workspace,
            call.workspace_bytes, call.host_workspace, call.host_workspace_bytes, info);
      });
}

// Waits for the device.
void eig_of_one(const Matrices& a, void* values, const Matrices& vectors, int32_t* info,
                const StreamPtr& stream, const LaunchLabel& label) {
  const int type = library_type(a.dtype), of_values = library_type(complex_dtype(a.dtype));
  const int job = vectors.data == nullptr ? kCusolverNoVectors : kCusolverVectors;
  queue_cusolver(
      stream, label, "cusolverDnXgeev",
      [&](CusolverCall& call) {
        return cusolver().cusolverDnXgeev_bufferSize(
            call.handle, call.params, kCusolverNoVectors, job, a.rows, type, a.data, a.leading(),
            of_values, values, type, nullptr, a.leading(), type, vectors.data, a.leading(), type,
            &call.workspace_bytes, &call.host_workspace_bytes);
      },
      [&](const CusolverCall& call) {
        return cusolver().cusolverDnXgeev(call.handle, call.params, kCusolverNoVectors, job, a.rows,
                                          type, a.data, a.leading(), of_values, values, type,
                                          nullptr, a.leading(), type, vectors.data, a.leading(),
                                          type, call.workspace, call.workspace_bytes,
                                          call.host_workspace, call.host_workspace_bytes, info);
      });
}

}  // namespace

void eigh(const Matrices& a, bool upper, bool vectors, void* values, int32_t* info,
          const StreamPtr& stream, const LaunchLabel& label) {
  const Hermitian how(a, upper, vectors);
  const bool has_batches = cusolver().cusolverDnXsyevBatched != nullptr;
  const bool is_batched = a.rows <= kEighBatchedRows || stream->is_capturing();
  int64_t done = 0;
  while (done < a.count) {
    const Matrices rest = a.from(done, a.count - done);
    void* target = values_from(values, done, a);
    if (has_batches && is_batched) {
      done += eigh_of_some(rest, how, target, info + done, stream, label);
    } else {
      eigh_of_one(rest.from(0, 1), how, target, info + done, stream, label);
      ++done;
    }
  }
}

void svd(const Matrices& a, void* values, const Matrices& u, const Matrices& vt, int32_t* info,
         const StreamPtr& stream, const LaunchLabel& label) {
  require_no_capture(*stream, label.operation);
  for (int64_t k = 0; k < a.count; ++k) {
    const bool none = u.data == nullptr;
    svd_of_one(a.from(k, 1), values_from(values, k, a), none ? u : u.from(k, 1),
               none ? vt : vt.from(k, 1), info + k, stream, label);
  }
}

void eig(const Matrices& a, void* values, const Matrices& vectors, int32_t* info,
         const StreamPtr& stream, const LaunchLabel& label) {
  require_no_capture(*stream, label.operation);
  if (cusolver().cusolverDnXgeev == nullptr)
    throw DeviceError(std::string(label.operation) +
                      ": cuSOLVER has no cusolverDnXgeev; it needs that of CUDA 12.8 or newer");
  for (int64_t k = 0; k < a.count; ++k) {
    void* target = static_cast<char*>(values) + k * a.columns * itemsize(complex_dtype(a.dtype));
    eig_of_one(a.from(k, 1), target, vectors.data == nullptr ? vectors : vectors.from(k, 1),
               info + k, stream, label);
  }
}

}  // namespace gpuarray
