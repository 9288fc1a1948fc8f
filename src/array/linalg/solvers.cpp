// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/linalg/solvers.hpp"

#include <algorithm>
#include <string>

#include "array/operand.hpp"
#include "array/ops.hpp"
#include "backend/error_record.hpp"
#include "core/error.hpp"

namespace gpuarray::ops {
namespace {

Shape batch_of(const Array& a) {
  Shape batch = a.shape();
  batch.erase(batch.size() - 1);
  batch.erase(batch.size() - 1);
  return batch;
}

Shape with(Shape batch, std::initializer_list<int64_t> extents) {
  for (const int64_t extent : extents) batch.push_back(extent);
  return batch;
}

// Throws TypeError and ValueError unless the array is one that the libraries can take.
void require_matrices(const Array& a, const char* operation) {
  const bool fits = a.dtype() == DType::float32 || a.dtype() == DType::float64 ||
                    a.dtype() == DType::complex64 || a.dtype() == DType::complex128;
  if (!fits || a.device().is_cpu())
    throw TypeError(std::string(operation) +
                    ": expected matrices of LAPACK on a CUDA device, got " + name(a.dtype()) +
                    " on " + to_string(a.device()));
  if (a.ndim() < 2 || !a.is_c_contiguous() || a.size() == 0)
    throw ValueError(std::string(operation) + ": expected C-contiguous matrices, got shape " +
                     to_string(a.shape()));
}

void require_one_device(const Array& a, const Array& b, const char* operation) {
  const Operand operands[] = {a, b};
  common_device(operands, nullptr, operation);
}

void require_same(bool same, const Array& a, const Array& b, const char* operation) {
  if (!same)
    throw ShapeError(std::string(operation) + ": shapes " + to_string(a.shape()) + " and " +
                     to_string(b.shape()) + " do not fit");
}

Matrices matrices_of(const Array& a, const void* data) {
  const int last = a.ndim() - 1;
  return {const_cast<void*>(data), a.dtype(), a.shape()[last], a.shape()[last - 1],
          element_count(batch_of(a))};
}

int32_t* info_in(Access& access, const Array& info) {
  return static_cast<int32_t*>(access.write(info));
}

Array made(const Array& like, const Shape& shape, DType dtype) {
  return empty(shape, dtype, like.device());
}

LaunchLabel label_of(const char* operation, const Array& a) {
  return {operation, a.dtype(), a.shape()};
}

}  // namespace

Lu lu(const Array& a, const char* operation) {
  require_matrices(a, operation);
  const Shape batch = batch_of(a);
  const int64_t rows = a.shape().back(), columns = a.shape()[a.ndim() - 2];
  const bool batched = lu_is_batched(element_count(batch), rows, columns);
  const Shape pivots_shape = with(batch, {std::min(rows, columns)});
  Lu made_of{made(a, pivots_shape, batched ? DType::int32 : DType::int64),
             made(a, batch, DType::int32)};
  Access access(current_stream(a.device()));
  const Matrices matrices = matrices_of(a, access.write(a));
  void* pivots = access.write(made_of.pivots);
  gpuarray::lu(matrices, pivots, info_in(access, made_of.info), access.stream(),
               label_of(operation, a));
  return made_of;
}

void lu_solve(const Array& factors, const Array& pivots, const Array& b, int transpose,
              const char* operation) {
  require_one_device(factors, b, operation);
  require_one_device(pivots, b, operation);
  require_matrices(factors, operation);
  require_matrices(b, operation);
  require_same(batch_of(factors) == batch_of(b) && factors.shape().back() == b.shape().back(),
               factors, b, operation);
  Access access(current_stream(b.device()));
  const Matrices lu = matrices_of(factors, access.read(factors));
  const void* order = access.read(pivots);
  const Matrices target = matrices_of(b, access.write(b));
  gpuarray::lu_solve(lu, order, pivots.dtype() == DType::int64, target, transpose, access.stream(),
                     label_of(operation, b));
}

Determinant determinant(const Array& factors, const Lu& lu, bool logarithms,
                        const char* operation) {
  require_matrices(factors, operation);
  const Shape batch = batch_of(factors);
  Determinant result;
  if (logarithms) {
    result.sign = made(factors, batch, factors.dtype());
    result.logarithm = made(factors, batch, real_dtype(factors.dtype()));
  } else {
    result.det = made(factors, batch, factors.dtype());
  }
  Access access(current_stream(factors.device()));
  DetParams params{};
  params.factors = access.read(factors);
  params.pivots = access.read(lu.pivots);
  params.info = static_cast<const int32_t*>(access.read(lu.info));
  params.n = factors.shape().back();
  params.count = element_count(batch);
  params.wide = lu.pivots.dtype() == DType::int64;
  if (logarithms) {
    params.sign = access.write(result.sign);
    params.logarithm = access.write(result.logarithm);
  } else {
    params.det = access.write(result.det);
  }
  determinants(params, access.stream(), label_of(operation, factors));
  return result;
}

Array row_order(const Array& pivots, const char* operation) {
  const Array order = made(pivots, pivots.shape(), DType::int64);
  Access access(current_stream(pivots.device()));
  PermutationParams params{};
  params.pivots = access.read(pivots);
  params.wide = pivots.dtype() == DType::int64;
  params.n = pivots.shape().back();
  params.count = pivots.size() / params.n;
  params.order = static_cast<int64_t*>(access.write(order));
  row_orders(params, access.stream(), label_of(operation, order));
  return order;
}

void triangular_solve(const Array& a, const Array& b, bool upper, bool unit, int transpose,
                      const char* operation) {
  require_one_device(a, b, operation);
  require_matrices(a, operation);
  require_matrices(b, operation);
  require_same(batch_of(a) == batch_of(b) && a.shape().back() == b.shape().back(), a, b, operation);
  Access access(current_stream(b.device()));
  const Matrices triangle = matrices_of(a, access.read(a));
  const Matrices target = matrices_of(b, access.write(b));
  gpuarray::triangular_solve(triangle, target, upper, unit, transpose, access.stream(),
                             label_of(operation, b));
}

Array cholesky(const Array& a, bool upper, const char* operation) {
  require_matrices(a, operation);
  const Array info = made(a, batch_of(a), DType::int32);
  Access access(current_stream(a.device()));
  const Matrices matrices = matrices_of(a, access.write(a));
  int32_t* status = info_in(access, info);
  gpuarray::cholesky(matrices, !upper, status, access.stream(), label_of(operation, a));
  const TriangleParams triangle{matrices.data, matrices.rows, matrices.count, upper};
  keep_triangle(triangle, access.stream(), label_of(operation, a));
  return info;
}

Array qr(const Array& a, const char* operation) {
  require_matrices(a, operation);
  const int64_t least = std::min(a.shape().back(), a.shape()[a.ndim() - 2]);
  const Array tau = made(a, with(batch_of(a), {least}), a.dtype());
  Access access(current_stream(a.device()));
  const Matrices matrices = matrices_of(a, access.write(a));
  gpuarray::qr(matrices, access.write(tau), access.stream(), label_of(operation, a));
  return tau;
}

void form_q(const Array& a, const Array& tau, const char* operation) {
  require_matrices(a, operation);
  Access access(current_stream(a.device()));
  const Matrices matrices = matrices_of(a, access.write(a));
  gpuarray::form_q(matrices, tau.shape().back(), access.read(tau), access.stream(),
                   label_of(operation, a));
}

Spectrum eigh(const Array& a, bool upper, bool vectors, const char* operation) {
  require_matrices(a, operation);
  Spectrum found;
  found.values = made(a, with(batch_of(a), {a.shape().back()}), real_dtype(a.dtype()));
  found.info = made(a, batch_of(a), DType::int32);
  Access access(current_stream(a.device()));
  const Matrices matrices = matrices_of(a, access.write(a));
  void* values = access.write(found.values);
  gpuarray::eigh(matrices, !upper, vectors, values, info_in(access, found.info), access.stream(),
                 label_of(operation, a));
  return found;
}

Spectrum svd(const Array& a, int64_t columns, const char* operation) {
  require_matrices(a, operation);
  const int64_t rows = a.shape().back(), n = a.shape()[a.ndim() - 2];
  if (rows < n) throw ValueError(std::string(operation) + ": expected no fewer rows than columns");
  Spectrum found;
  found.values = made(a, with(batch_of(a), {n}), real_dtype(a.dtype()));
  found.info = made(a, batch_of(a), DType::int32);
  if (columns > 0) {
    found.u = made(a, with(batch_of(a), {columns, rows}), a.dtype());
    found.vt = made(a, with(batch_of(a), {n, n}), a.dtype());
  }
  Access access(current_stream(a.device()));
  const Matrices matrices = matrices_of(a, access.write(a));
  void* values = access.write(found.values);
  Matrices u, vt;
  if (columns > 0) {
    u = matrices_of(found.u, access.write(found.u));
    vt = matrices_of(found.vt, access.write(found.vt));
  }
  gpuarray::svd(matrices, values, u, vt, info_in(access, found.info), access.stream(),
                label_of(operation, a));
  return found;
}

Spectrum eig(const Array& a, bool vectors, const char* operation) {
  require_matrices(a, operation);
  Spectrum found;
  found.values = made(a, with(batch_of(a), {a.shape().back()}), complex_dtype(a.dtype()));
  found.info = made(a, batch_of(a), DType::int32);
  if (vectors) found.u = made(a, a.shape(), a.dtype());
  Access access(current_stream(a.device()));
  const Matrices matrices = matrices_of(a, access.write(a));
  void* values = access.write(found.values);
  Matrices right;
  if (vectors) right = matrices_of(found.u, access.write(found.u));
  gpuarray::eig(matrices, values, right, info_in(access, found.info), access.stream(),
                label_of(operation, a));
  return found;
}

void note_failures(const Array& info, NotedKind kind, std::span<const Array> results,
                   const char* operation) {
  InfoParams params{};
  params.count = info.size();
  params.kind = kind;
  Access access(current_stream(info.device()));
  params.info = static_cast<const int32_t*>(access.read(info));
  params.errors = matrix_errors(operation, info.shape(), info.device());
  for (size_t k = 0; k < results.size() && k < InfoParams::kResults; ++k) {
    const Array& result = results[k];
    const int parts = is_complex(result.dtype()) ? 2 : 1;
    params.doubles = result.itemsize() / parts == 8;
    params.results[k] = access.write(result);
    params.parts[k] = result.size() / params.count * parts;
  }
  gpuarray::note_failures(params, access.stream(), label_of(operation, info));
}

}  // namespace gpuarray::ops
