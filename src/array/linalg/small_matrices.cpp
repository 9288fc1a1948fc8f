// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/linalg/small_matrices.hpp"

#include <algorithm>
#include <string>

#include "array/operand.hpp"
#include "array/ops.hpp"
#include "backend/linalg/small_matrices.hpp"
#include "core/error.hpp"
#include "core/layout.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray::ops {
namespace {

Shape batch_of(const Array& a) {
  Shape batch = a.shape();
  batch.erase(batch.size() - 1);
  batch.erase(batch.size() - 1);
  return batch;
}

Shape with(const Shape& batch, std::initializer_list<int64_t> extents) {
  Shape shape = batch;
  for (int64_t extent : extents) shape.push_back(extent);
  return shape;
}

int64_t rows_of(const Array& a) { return a.shape()[a.ndim() - 2]; }
int64_t columns_of(const Array& a) { return a.shape().back(); }

bool are_small(const Array& a, int64_t most) {
  return std::min(rows_of(a), columns_of(a)) >= 1 && std::max(rows_of(a), columns_of(a)) <= most;
}

// Returns the rows of systems that kernels solve; those of elements of up to 8 bytes in shared
// memory.
int64_t most_rows(DType dtype) { return itemsize(dtype) <= 8 ? kMostShared : kMostSmall; }

void require_matrices(const Array& a, const char* function, int64_t most = kMostSmall) {
  if (a.device().is_cpu())
    throw DeviceError(std::string(function) + ": expected an array of a CUDA device, got cpu");
  if (compute_dtype(a.dtype()) != a.dtype() || (kind(a.dtype()) != 'f' && !is_complex(a.dtype())))
    throw TypeError(std::string(function) + ": array type " + name(a.dtype()) +
                    " is unsupported in linalg");
  if (a.ndim() < 2 || !are_small(a, most))
    throw ShapeError(std::string(function) + ": expected matrices of 1 to " + std::to_string(most) +
                     " rows and columns, got shape " + to_string(a.shape()));
}

void require_square(const Array& a, const char* function, int64_t most = kMostSmall) {
  require_matrices(a, function, most);
  if (rows_of(a) != columns_of(a))
    throw ShapeError(std::string(function) + ": expected square matrices, got shape " +
                     to_string(a.shape()));
}

// An operation that is put together operand by operand, and then run.
class SmallMatrices {
 public:
  SmallMatrices(SmallMatrixOp op, const char* function, const Array& a, const Shape& batch)
      : a_(a) {
    plan_.op = op;
    plan_.function = function;
    plan_.dtype = a.dtype();
    plan_.batch = batch;
    plan_.m = rows_of(a);
    plan_.n = columns_of(a);
  }
  SmallMatrices(SmallMatrixOp op, const char* function, const Array& a)
      : SmallMatrices(op, function, a, batch_of(a)) {}

  // Returns a new array with these extents after the batch.
  Array result(std::initializer_list<int64_t> extents, DType dtype) const {
    return empty(with(plan_.batch, extents), dtype, a_.device());
  }
  Array result(std::initializer_list<int64_t> extents) const { return result(extents, a_.dtype()); }

  SmallMatrixPlan& plan() { return plan_; }

  // Adds an operand besides a; its array must outlive this object.
  void reads(MatrixOperand& target, const Array& array) {
    others_[count_++] = {&target, &array, false};
  }
  void writes(MatrixOperand& target, const Array& array) {
    others_[count_++] = {&target, &array, true};
  }
  // Queues the operation unless the batch is empty.
  void run() {
    if (element_count(plan_.batch) == 0) return;
    Access access(current_stream(a_.device()));
    open(access, {&plan_.a, &a_, false});
    for (int k = 0; k < count_; ++k) open(access, others_[k]);
    small_matrices(plan_, access.stream());
  }

 private:
  struct Other {
    MatrixOperand* target;
    const Array* array;
    bool written;
  };

  // Opens the memory of an operand, whose axes behind the batch are two if it is read, and none,
  // one or two otherwise.
  void open(Access& access, const Other& other) const {
    const auto& [target, array, written] = other;
    target->data = written ? access.write(*array) : const_cast<void*>(access.read(*array));
    Shape batch = array->shape();
    Strides strides = array->strides();
    const int axes = written ? array->ndim() - plan_.batch.size() : 2;
    for (int axis = axes - 1; axis >= 0; --axis) {
      target->strides[axis] = strides.back();
      batch.erase(batch.size() - 1);
      strides.erase(strides.size() - 1);
    }
    target->batch = broadcast_strides(batch, strides, plan_.batch);
  }

  const Array& a_;
  SmallMatrixPlan plan_;
  Other others_[3];
  int count_ = 0;
};

}  // namespace

bool has_small_matrices(const Array& a) { return are_small(a, kMostSmall); }

bool has_small_systems(const Array& a, DType dtype) { return are_small(a, most_rows(dtype)); }

Array small_solve(const Array& a, const Array& b, const char* what) {
  const Operand operands[] = {a, b};
  common_device(operands, nullptr, what);
  require_square(a, what, most_rows(a.dtype()));
  if (b.dtype() != a.dtype())
    throw TypeError(std::string(what) + ": expected one dtype, got " + name(a.dtype()) + " and " +
                    name(b.dtype()));
  if (b.ndim() < 2 || rows_of(b) != rows_of(a))
    throw ShapeError(std::string(what) + ": shapes " + to_string(a.shape()) + " and " +
                     to_string(b.shape()) + " do not fit: they differ in the number of rows");
  const Shape batches[] = {batch_of(a), batch_of(b)};
  SmallMatrices solve(SmallMatrixOp::solve, what, a, broadcast_shapes(batches, what));
  const Array x = solve.result({rows_of(a), columns_of(b)});
  solve.plan().k = columns_of(b);
  solve.reads(solve.plan().b, b);
  solve.writes(solve.plan().x, x);
  solve.run();
  return x;
}

Array small_inv(const Array& a, const char* what) {
  require_square(a, what);
  SmallMatrices inv(SmallMatrixOp::inv, what, a);
  const Array x = inv.result({rows_of(a), rows_of(a)});
  inv.writes(inv.plan().x, x);
  inv.run();
  return x;
}

Array small_det(const Array& a) {
  require_square(a, "det");
  SmallMatrices det(SmallMatrixOp::det, "det", a);
  const Array x = det.result({});
  det.writes(det.plan().x, x);
  det.run();
  return x;
}

SlogdetResult small_slogdet(const Array& a) {
  require_square(a, "slogdet");
  SmallMatrices slogdet(SmallMatrixOp::slogdet, "slogdet", a);
  SlogdetResult found{slogdet.result({}), slogdet.result({}, real_dtype(a.dtype()))};
  slogdet.writes(slogdet.plan().x, found.sign);
  slogdet.writes(slogdet.plan().y, found.logarithm);
  slogdet.run();
  return found;
}

Array small_cholesky(const Array& a, bool upper, const char* what) {
  require_square(a, what);
  SmallMatrices cholesky(SmallMatrixOp::cholesky, what, a);
  const Array x = cholesky.result({rows_of(a), rows_of(a)});
  cholesky.plan().upper = upper;
  cholesky.writes(cholesky.plan().x, x);
  cholesky.run();
  return x;
}

QrResult small_qr(const Array& a, QrMode mode) {
  require_matrices(a, "qr");
  const int64_t m = rows_of(a), n = columns_of(a), least = std::min(m, n);
  const bool raw = mode == QrMode::raw;
  const int64_t k = mode == QrMode::complete ? m : least;
  SmallMatrices qr(raw ? SmallMatrixOp::raw_qr : SmallMatrixOp::qr, "qr", a);
  QrResult found;
  if (raw) {
    found = {qr.result({m, n}), qr.result({least})};
  } else {
    if (mode != QrMode::r) found.q = qr.result({m, k});
    found.r = qr.result({k, n});
  }
  qr.plan().k = k;
  if (mode != QrMode::r) qr.writes(qr.plan().x, found.q);
  qr.writes(qr.plan().y, found.r);
  qr.run();
  return found;
}

EighResult small_eigh(const Array& a, bool upper, bool with_vectors, const char* what) {
  require_square(a, what);
  SmallMatrices eigh(SmallMatrixOp::eigh, what, a);
  EighResult found;
  eigh.plan().upper = upper;
  found.values = eigh.result({rows_of(a)}, real_dtype(a.dtype()));
  eigh.writes(eigh.plan().y, found.values);
  if (with_vectors) {
    found.vectors = eigh.result({rows_of(a), rows_of(a)});
    eigh.writes(eigh.plan().x, found.vectors);
  }
  eigh.run();
  return found;
}

SvdResult small_svd(const Array& a, bool full, bool with_vectors, const char* what) {
  require_matrices(a, what);
  const int64_t m = rows_of(a), n = columns_of(a), least = std::min(m, n);
  SmallMatrices svd(SmallMatrixOp::svd, what, a);
  SvdResult found;
  found.values = svd.result({least}, real_dtype(a.dtype()));
  svd.plan().k = full ? std::max(m, n) : least;
  svd.writes(svd.plan().y, found.values);
  if (with_vectors) {
    found.u = svd.result({m, full ? m : least});
    found.vh = svd.result({full ? n : least, n});
    svd.writes(svd.plan().x, found.u);
    svd.writes(svd.plan().z, found.vh);
  }
  svd.run();
  return found;
}

}  // namespace gpuarray::ops
