// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/operand.hpp"
#include "array/ops.hpp"
#include "core/error.hpp"

namespace gpuarray::ops {
namespace {

[[noreturn]] void throw_mismatch(const Array& a, const Array& b) {
  throw ShapeError(
      "matmul: shapes " + to_string(a.shape()) + " and " + to_string(b.shape()) +
      " do not fit: the last axis of the first and the last but one of the second differ");
}

// 1-d operands become a row or a column, as in NumPy.
Array as_matrix(const Array& array, bool row) {
  if (array.ndim() != 1) return array;
  Shape shape = array.shape();
  Strides strides = array.strides();
  shape.insert(row ? 0 : 1, 1);
  strides.insert(row ? 0 : 1, 0);
  return array.view(shape, strides);
}

Shape without_last_two(const Shape& shape) {
  Shape batch = shape;
  batch.erase(batch.size() - 1);
  batch.erase(batch.size() - 1);
  return batch;
}

Strides batch_strides(const Array& matrix, const Shape& batch) {
  Shape own = without_last_two(matrix.shape());
  Strides strides = matrix.strides();
  strides.erase(strides.size() - 1);
  strides.erase(strides.size() - 1);
  return broadcast_strides(own, strides, batch);
}

void last_two(const Strides& strides, int64_t (&pair)[2]) {
  pair[0] = strides[strides.size() - 2];
  pair[1] = strides[strides.size() - 1];
}

void run(const Array& a, const Array& b, const Array& target, const Shape& batch) {
  if (target.size() == 0) return;
  Access access(current_stream(target.device()));
  MatmulPlan plan;
  plan.batch = batch;
  plan.target_shape = &target.shape();
  plan.m = a.shape()[a.ndim() - 2];
  plan.k = a.shape()[a.ndim() - 1];
  plan.n = b.shape()[b.ndim() - 1];
  plan.a = access.read(a);
  plan.b = access.read(b);
  plan.target = access.write(target);
  plan.a_batch = batch_strides(a, batch);
  plan.b_batch = batch_strides(b, batch);
  plan.target_batch = batch_strides(target, batch);
  last_two(a.strides(), plan.a_strides);
  last_two(b.strides(), plan.b_strides);
  last_two(target.strides(), plan.target_strides);
  backend_of(target.device()).matmul(target.dtype(), plan, access.stream());
}

// Takes away the axes that 1-d operands were given.
Array drop_unit_axes(const Array& target, bool row, bool column) {
  Shape shape = target.shape();
  Strides strides = target.strides();
  int last = shape.size() - 1;
  if (column) {
    shape.erase(last);
    strides.erase(last);
  }
  if (row) {
    shape.erase(last - 1);
    strides.erase(last - 1);
  }
  return target.view(shape, strides);
}

void require_out(const Array& out, const Array& result) {
  if (out.shape() != result.shape())
    throw ShapeError("matmul: out has shape " + to_string(out.shape()) + ", expected " +
                     to_string(result.shape()));
  if (!can_cast(result.dtype(), out.dtype(), Casting::same_kind))
    throw TypeError(std::string("matmul: cannot write a result of dtype ") + name(result.dtype()) +
                    " into an array of dtype " + name(out.dtype()) + " with casting 'same_kind'");
}

}  // namespace

Array matmul(const Array& a, const Array& b, const Array* out) {
  const Operand operands[] = {a, b};
  Device device = common_device(operands, out, "matmul");
  if (a.ndim() == 0 || b.ndim() == 0)
    throw ShapeError("matmul: operands need at least one dimension, got shapes " +
                     to_string(a.shape()) + " and " + to_string(b.shape()));
  if (out != nullptr) require_writable(*out, "matmul");
  DType dtype = promote(a.dtype(), b.dtype());
  Array left = as_matrix(a, true), right = as_matrix(b, false);
  if (left.shape().back() != right.shape()[right.ndim() - 2]) throw_mismatch(a, b);
  Shape batches[] = {without_last_two(left.shape()), without_last_two(right.shape())};
  Shape batch = broadcast_shapes(batches, "matmul");
  Shape shape = batch;
  shape.push_back(left.shape()[left.ndim() - 2]);
  shape.push_back(right.shape().back());
  Array target = empty(shape, dtype, device);
  Array result = drop_unit_axes(target, a.ndim() == 1, b.ndim() == 1);
  if (out != nullptr) require_out(*out, result);
  run(left.dtype() == dtype ? left : astype(left, dtype),
      right.dtype() == dtype ? right : astype(right, dtype), target, batch);
  if (out == nullptr) return result;
  assign(*out, result);
  return *out;
}

}  // namespace gpuarray::ops
