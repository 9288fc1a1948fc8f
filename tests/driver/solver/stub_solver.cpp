// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Stands for libcusolver (GPUARRAY_LIBCUSOLVER): checks its arguments and calls LAPACK when the
// stream comes to the work. Routines that wait for the device do so here, and refuse captures.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "lapack.hpp"

namespace {

constexpr int kSuccess = 0, kInvalidValue = 3, kExecutionFailed = 6, kNotSupported = 9;

struct Solver {
  Handle stream = nullptr;
};

std::atomic<int> next_status = kSuccess;

// The workspace that each routine asks for, and overwrites, so that memory that was freed too early
// shows.
constexpr size_t kWorkspace = 512;

int measured(size_t* on_device, size_t* on_host, size_t bytes = kWorkspace) {
  *on_device = bytes;
  if (on_host != nullptr) *on_host = 64;
  return kSuccess;
}

int queue(Handle handle, void* workspace, size_t workspace_bytes, Work work) {
  if (const int status = next_status.exchange(kSuccess); status != kSuccess) return status;
  if (find_lapack('d', "getrf") == nullptr) return kNotSupported;
  Work all = [=] {
    if (workspace_bytes > 0) std::memset(workspace, 0xee, workspace_bytes);
    work();
  };
  return queue_work(static_cast<Solver*>(handle)->stream, all) == 0 ? kSuccess : kExecutionFailed;
}

// Does the same for a routine that waits for the device.
int queue_and_wait(Handle handle, void* workspace, size_t workspace_bytes, Work work) {
  const Handle stream = static_cast<Solver*>(handle)->stream;
  int capturing = 0;
  call("cuStreamIsCapturing", stream, &capturing);
  if (capturing != 0) return kExecutionFailed;
  const int status = queue(handle, workspace, workspace_bytes, std::move(work));
  if (status != kSuccess) return status;
  return call("cuStreamSynchronize", stream) == 0 ? kSuccess : kExecutionFailed;
}

bool fits(int64_t rows, int64_t columns, int64_t leading) {
  return rows >= 1 && columns >= 1 && leading >= rows;
}

void hermitian(char letter, bool vectors, char side, int64_t n, void* a, int64_t lda, void* values,
               int* info) {
  char job = vectors ? 'V' : 'N';
  int64_t status = 0;
  Workspace work(letter, 8 * n);
  if (is_complex_letter(letter))
    lapack(letter, "heev", &job, &side, &n, static_cast<char*>(a), &lda, static_cast<char*>(values),
           work.bytes.data(), &work.length, work.real_bytes.data(), &status);
  else
    lapack(letter, "syev", &job, &side, &n, static_cast<char*>(a), &lda, static_cast<char*>(values),
           work.bytes.data(), &work.length, &status);
  *info = static_cast<int>(status);
}

void singular(char letter, char job_u, char job_vt, int64_t m, int64_t n, char* a, int64_t lda,
              char* s, char* u, int64_t ldu, char* vt, int64_t ldvt, int* info) {
  int64_t status = 0;
  Workspace work(letter, 8 * (m + n));
  if (is_complex_letter(letter))
    lapack(letter, "gesvd", &job_u, &job_vt, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt,
           work.bytes.data(), &work.length, work.real_bytes.data(), &status);
  else
    lapack(letter, "gesvd", &job_u, &job_vt, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt,
           work.bytes.data(), &work.length, &status);
  *info = static_cast<int>(status);
}

void factor_q(char letter, int64_t m, int64_t n, int64_t k, char* a, int64_t lda, char* tau,
              int* info) {
  int64_t status = 0;
  Workspace work(letter, 8 * n);
  lapack(letter, is_complex_letter(letter) ? "ungqr" : "orgqr", &m, &n, &k, a, &lda, tau,
         work.bytes.data(), &work.length, &status);
  *info = static_cast<int>(status);
}

int form_q(char letter, Handle handle, int m, int n, int k, void* a, int lda, const void* tau,
           void* work, int length, int* info) {
  if (!fits(m, n, lda) || n > m || k > n || length < 1) return kInvalidValue;
  return queue(handle, work, static_cast<size_t>(length * item_bytes(letter)), [=] {
    factor_q(letter, m, n, k, static_cast<char*>(a), lda,
             const_cast<char*>(static_cast<const char*>(tau)), info);
  });
}

void cholesky(char letter, char side, int64_t n, char* a, int64_t lda, int* info) {
  int64_t status = 0;
  lapack(letter, "potrf", &side, &n, a, &lda, &status);
  *info = static_cast<int>(status);
}

int cholesky_of_batch(char letter, Handle handle, int fill, int n, void* const* a, int lda,
                      int* info, int count) {
  if (!fits(n, n, lda) || count < 1) return kInvalidValue;
  return queue(handle, nullptr, 0, [=] {
    for (int k = 0; k < count; ++k)
      cholesky(letter, side_letter(fill), n, static_cast<char*>(a[k]), lda, info + k);
  });
}

}  // namespace

namespace {

// Calls sgeev or dgeev, and makes complex values of the two parts.
template <class R>
int real_geev(char job, int64_t n, void* a, int64_t lda, void* values, void* vr, int64_t ldvr,
              Workspace& memory) {
  const char letter = sizeof(R) == 4 ? 's' : 'd';
  std::vector<R> re(static_cast<size_t>(n)), im(static_cast<size_t>(n));
  char none = 'N';
  int64_t status = 0, ldvl = 1;
  R unused[1];
  lapack(letter, "geev", &none, &job, &n, static_cast<char*>(a), &lda, re.data(), im.data(), unused,
         &ldvl, static_cast<char*>(vr), &ldvr, memory.bytes.data(), &memory.length, &status);
  for (size_t k = 0; k < re.size(); ++k) {
    static_cast<R*>(values)[2 * k] = re[k];
    static_cast<R*>(values)[2 * k + 1] = im[k];
  }
  return static_cast<int>(status);
}

}  // namespace

extern "C" {

// Makes the next routine fail with this status.
void stub_solver_fail(int status) { next_status = status; }

int cusolverGetProperty(int part, int* value) {
  *value = part == 0 ? 12 : 0;
  return kSuccess;
}
int cusolverDnCreate(Handle* handle) {
  *handle = new Solver;
  return kSuccess;
}
int cusolverDnCreateParams(Handle* params) {
  *params = new int(0);
  return kSuccess;
}
int cusolverDnSetStream(Handle handle, Handle stream) {
  static_cast<Solver*>(handle)->stream = stream;
  return kSuccess;
}

int cusolverDnXgetrf_bufferSize(Handle, Handle, int64_t, int64_t, int, const void*, int64_t, int,
                                size_t* on_device, size_t* on_host) {
  return measured(on_device, on_host);
}
int cusolverDnXgetrf(Handle handle, Handle, int64_t m, int64_t n, int type, void* a, int64_t lda,
                     int64_t* pivots, int, void* work, size_t bytes, void*, size_t, int* info) {
  if (!fits(m, n, lda) || bytes < kWorkspace) return kInvalidValue;
  return queue(handle, work, bytes, [=] {
    int64_t status = 0;
    factor_without_nan(letter_of(type), m, n, static_cast<char*>(a), lda, pivots, &status);
    *info = static_cast<int>(status);
  });
}
int cusolverDnXgetrs(Handle handle, Handle, int transpose, int64_t n, int64_t columns, int type,
                     const void* a, int64_t lda, const int64_t* pivots, int, void* b, int64_t ldb,
                     int* info) {
  if (!fits(n, columns, ldb) || lda < n) return kInvalidValue;
  return queue(handle, nullptr, 0, [=] {
    char letter = operation_letter(transpose);
    int64_t status = 0;
    lapack(letter_of(type), "getrs", &letter, &n, &columns, static_cast<const char*>(a), &lda,
           pivots, static_cast<char*>(b), &ldb, &status);
    *info = static_cast<int>(status);
  });
}

int cusolverDnXpotrf_bufferSize(Handle, Handle, int, int64_t, int, const void*, int64_t, int,
                                size_t* on_device, size_t* on_host) {
  return measured(on_device, on_host);
}
int cusolverDnXpotrf(Handle handle, Handle, int fill, int64_t n, int type, void* a, int64_t lda,
                     int, void* work, size_t bytes, void*, size_t, int* info) {
  if (!fits(n, n, lda) || bytes < kWorkspace) return kInvalidValue;
  return queue(handle, work, bytes, [=] {
    cholesky(letter_of(type), side_letter(fill), n, static_cast<char*>(a), lda, info);
  });
}

int cusolverDnXgeqrf_bufferSize(Handle, Handle, int64_t, int64_t, int, const void*, int64_t, int,
                                const void*, int, size_t* on_device, size_t* on_host) {
  return measured(on_device, on_host);
}
int cusolverDnXgeqrf(Handle handle, Handle, int64_t m, int64_t n, int type, void* a, int64_t lda,
                     int, void* tau, int, void* work, size_t bytes, void*, size_t, int* info) {
  if (!fits(m, n, lda) || bytes < kWorkspace) return kInvalidValue;
  return queue(handle, work, bytes, [=] {
    int64_t status = 0;
    Workspace memory(letter_of(type), 8 * n);
    lapack(letter_of(type), "geqrf", &m, &n, static_cast<char*>(a), &lda, static_cast<char*>(tau),
           memory.bytes.data(), &memory.length, &status);
    *info = static_cast<int>(status);
  });
}

int cusolverDnXsyevd_bufferSize(Handle, Handle, int, int, int64_t, int, const void*, int64_t, int,
                                const void*, int, size_t* on_device, size_t* on_host) {
  return measured(on_device, on_host);
}
int cusolverDnXsyevd(Handle handle, Handle, int job, int fill, int64_t n, int type, void* a,
                     int64_t lda, int, void* values, int, void* work, size_t bytes, void*, size_t,
                     int* info) {
  if (!fits(n, n, lda) || bytes < kWorkspace) return kInvalidValue;
  return queue_and_wait(handle, work, bytes, [=] {
    hermitian(letter_of(type), job != 0, side_letter(fill), n, a, lda, values, info);
  });
}
int cusolverDnXsyevBatched_bufferSize(Handle, Handle, int, int, int64_t, int, const void*, int64_t,
                                      int, const void*, int, size_t* on_device, size_t* on_host,
                                      int64_t count) {
  return measured(on_device, on_host, kWorkspace * static_cast<size_t>(count));
}
int cusolverDnXsyevBatched(Handle handle, Handle, int job, int fill, int64_t n, int type, void* a,
                           int64_t lda, int real, void* values, int, void* work, size_t bytes,
                           void*, size_t, int* info, int64_t count) {
  if (!fits(n, n, lda) || bytes < kWorkspace * static_cast<size_t>(count) || count > 32768)
    return kInvalidValue;
  return queue(handle, work, bytes, [=] {
    for (int64_t k = 0; k < count; ++k)
      hermitian(letter_of(type), job != 0, side_letter(fill), n,
                static_cast<char*>(a) + k * lda * n * item_bytes(letter_of(type)), lda,
                static_cast<char*>(values) + k * n * item_bytes(letter_of(real)), info + k);
  });
}

int cusolverDnXgesvd_bufferSize(Handle, Handle, signed char, signed char, int64_t, int64_t, int,
                                const void*, int64_t, int, const void*, int, const void*, int64_t,
                                int, const void*, int64_t, int, size_t* on_device,
                                size_t* on_host) {
  return measured(on_device, on_host);
}
int cusolverDnXgesvd(Handle handle, Handle, signed char job_u, signed char job_vt, int64_t m,
                     int64_t n, int type, void* a, int64_t lda, int, void* s, int, void* u,
                     int64_t ldu, int, void* vt, int64_t ldvt, int, void* work, size_t bytes, void*,
                     size_t, int* info) {
  if (!fits(m, n, lda) || m < n || bytes < kWorkspace) return kInvalidValue;
  if (job_u != 'N' && (ldu < m || ldvt < n)) return kInvalidValue;
  return queue_and_wait(handle, work, bytes, [=] {
    singular(letter_of(type), static_cast<char>(job_u), static_cast<char>(job_vt), m, n,
             static_cast<char*>(a), lda, static_cast<char*>(s), static_cast<char*>(u), ldu,
             static_cast<char*>(vt), ldvt, info);
  });
}

int cusolverDnXgeev_bufferSize(Handle, Handle, int, int, int64_t, int, const void*, int64_t, int,
                               const void*, int, const void*, int64_t, int, const void*, int64_t,
                               int, size_t* on_device, size_t* on_host) {
  return measured(on_device, on_host);
}
int cusolverDnXgeev(Handle handle, Handle, int left, int right, int64_t n, int type, void* a,
                    int64_t lda, int type_of_values, void* values, int, void* vl, int64_t ldvl, int,
                    void* vr, int64_t ldvr, int, void* work, size_t bytes, void*, size_t,
                    int* info) {
  if (!fits(n, n, lda) || bytes < kWorkspace || left != 0) return kInvalidValue;
  if (type_of_values != type + (is_complex_letter(letter_of(type)) ? 0 : 4)) return kNotSupported;
  return queue_and_wait(handle, work, bytes, [=] {
    char none = 'N', job = right != 0 ? 'V' : 'N';
    int64_t status = 0;
    Workspace memory(letter_of(type), 8 * n);
    if (letter_of(type) == 's') {
      *info = real_geev<float>(job, n, a, lda, values, vr, ldvr, memory);
      return;
    }
    if (letter_of(type) == 'd') {
      *info = real_geev<double>(job, n, a, lda, values, vr, ldvr, memory);
      return;
    }
    lapack(letter_of(type), "geev", &none, &job, &n, static_cast<char*>(a), &lda,
           static_cast<char*>(values), static_cast<char*>(vl), &ldvl, static_cast<char*>(vr), &ldvr,
           memory.bytes.data(), &memory.length, memory.real_bytes.data(), &status);
    *info = static_cast<int>(status);
  });
}

#define STUB_TYPED(LETTER, letter, orthogonal)                                                  \
  int cusolverDn##LETTER##orthogonal##_bufferSize(Handle, int, int, int, const void*, int,      \
                                                  const void*, int* length) {                   \
    *length = 64;                                                                               \
    return kSuccess;                                                                            \
  }                                                                                             \
  int cusolverDn##LETTER##orthogonal(Handle handle, int m, int n, int k, void* a, int lda,      \
                                     const void* tau, void* work, int length, int* info) {      \
    return form_q(letter, handle, m, n, k, a, lda, tau, work, length, info);                    \
  }                                                                                             \
  int cusolverDn##LETTER##potrfBatched(Handle handle, int fill, int n, void* const* a, int lda, \
                                       int* info, int count) {                                  \
    return cholesky_of_batch(letter, handle, fill, n, a, lda, info, count);                     \
  }
STUB_TYPED(S, 's', orgqr)
STUB_TYPED(D, 'd', orgqr)
STUB_TYPED(C, 'c', ungqr)
STUB_TYPED(Z, 'z', ungqr)
}
