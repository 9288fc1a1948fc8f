// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The solvers of the stand-in for cuBLAS, by LAPACK.
#include "../blas/stub_blas.hpp"
#include "lapack.hpp"

namespace {

constexpr int kSuccess = 0, kInvalidValue = 7, kExecutionFailed = 13, kNotSupported = 15;

int queue(Handle handle, Work work) {
  if (find_lapack('d', "getrf") == nullptr) return kNotSupported;
  const auto& blas = *static_cast<const Blas*>(handle);
  return queue_work(blas.stream, std::move(work)) == 0 ? kSuccess : kExecutionFailed;
}

int factor(char letter, Handle handle, int n, void* const* a, int lda, int* pivots, int* info,
           int count) {
  if (n < 1 || lda < n || count < 1) return kInvalidValue;
  return queue(handle, [=] {
    std::vector<int64_t> found(static_cast<size_t>(n));
    int64_t status = 0;
    for (int k = 0; k < count; ++k) {
      factor_without_nan(letter, n, n, static_cast<char*>(a[k]), lda, found.data(), &status);
      for (int row = 0; row < n; ++row)
        pivots[k * n + row] = static_cast<int>(found[static_cast<size_t>(row)]);
      info[k] = static_cast<int>(status);
    }
  });
}

int solve(char letter, Handle handle, int transpose, int n, int columns, const void* const* a,
          int lda, const int* pivots, void* const* b, int ldb, int* info, int count) {
  if (n < 1 || columns < 1 || lda < n || ldb < n || count < 1) return kInvalidValue;
  *info = 0;
  return queue(handle, [=] {
    int64_t rows = n, right = columns, leading_a = lda, leading_b = ldb, status = 0;
    char operation = operation_letter(transpose);
    std::vector<int64_t> order(static_cast<size_t>(n));
    for (int k = 0; k < count; ++k) {
      order.assign(pivots + k * n, pivots + (k + 1) * n);
      lapack(letter, "getrs", &operation, &rows, &right, static_cast<const char*>(a[k]), &leading_a,
             order.data(), static_cast<char*>(b[k]), &leading_b, &status);
    }
  });
}

int reflect(char letter, Handle handle, int m, int n, void* const* a, int lda, void* const* tau,
            int* info, int count) {
  if (m < 1 || n < 1 || lda < m || count < 1) return kInvalidValue;
  *info = 0;
  return queue(handle, [=] {
    int64_t rows = m, columns = n, leading = lda, status = 0;
    Workspace work(letter, 8 * columns);
    for (int k = 0; k < count; ++k)
      lapack(letter, "geqrf", &rows, &columns, static_cast<char*>(a[k]), &leading,
             static_cast<char*>(tau[k]), work.bytes.data(), &work.length, &status);
  });
}

struct Triangle {
  char side, fill, operation, diagonal;
  int64_t m, n;
  double factor[2] = {1, 0};
  float single_factor[2] = {1, 0};
  int64_t lda, ldb;
};

void solve_triangle(char letter, Triangle t, const void* a, void* b) {
  const bool single = letter == 's' || letter == 'c';
  const void* factor = single ? static_cast<const void*>(t.single_factor) : t.factor;
  lapack(letter, "trsm", &t.side, &t.fill, &t.operation, &t.diagonal, &t.m, &t.n,
         static_cast<const char*>(factor), static_cast<const char*>(a), &t.lda,
         static_cast<char*>(b), &t.ldb);
}

Triangle triangle_of(int fill, int transpose, int unit, int64_t m, int64_t n, int64_t lda,
                     int64_t ldb) {
  Triangle t;
  t.side = 'L';
  t.fill = side_letter(fill);
  t.operation = operation_letter(transpose);
  t.diagonal = unit != 0 ? 'U' : 'N';
  t.m = m;
  t.n = n;
  t.lda = lda;
  t.ldb = ldb;
  return t;
}

}  // namespace

extern "C" {

#define STUB_SOLVERS(LETTER, letter)                                                             \
  int cublas##LETTER##getrfBatched(Handle handle, int n, void* const* a, int lda, int* pivots,   \
                                   int* info, int count) {                                       \
    return factor(letter, handle, n, a, lda, pivots, info, count);                               \
  }                                                                                              \
  int cublas##LETTER##getrsBatched(Handle handle, int transpose, int n, int columns,             \
                                   const void* const* a, int lda, const int* pivots,             \
                                   void* const* b, int ldb, int* info, int count) {              \
    return solve(letter, handle, transpose, n, columns, a, lda, pivots, b, ldb, info, count);    \
  }                                                                                              \
  int cublas##LETTER##geqrfBatched(Handle handle, int m, int n, void* const* a, int lda,         \
                                   void* const* tau, int* info, int count) {                     \
    return reflect(letter, handle, m, n, a, lda, tau, info, count);                              \
  }                                                                                              \
  int cublas##LETTER##trsm_v2_64(Handle handle, int side, int fill, int transpose, int unit,     \
                                 int64_t m, int64_t n, const void*, const void* a, int64_t lda,  \
                                 void* b, int64_t ldb) {                                         \
    if (side != 0 || m < 1 || n < 1 || lda < m || ldb < m) return kInvalidValue;                 \
    const Triangle t = triangle_of(fill, transpose, unit, m, n, lda, ldb);                       \
    return queue(handle, [=] { solve_triangle(letter, t, a, b); });                              \
  }                                                                                              \
  int cublas##LETTER##trsmBatched_64(Handle handle, int side, int fill, int transpose, int unit, \
                                     int64_t m, int64_t n, const void*, const void* const* a,    \
                                     int64_t lda, void* const* b, int64_t ldb, int64_t count) {  \
    if (side != 0 || m < 1 || n < 1 || lda < m || ldb < m || count < 1) return kInvalidValue;    \
    const Triangle t = triangle_of(fill, transpose, unit, m, n, lda, ldb);                       \
    return queue(handle, [=] {                                                                   \
      for (int64_t k = 0; k < count; ++k) solve_triangle(letter, t, a[k], b[k]);                 \
    });                                                                                          \
  }
STUB_SOLVERS(S, 's')
STUB_SOLVERS(D, 'd')
STUB_SOLVERS(C, 'c')
STUB_SOLVERS(Z, 'z')
}
