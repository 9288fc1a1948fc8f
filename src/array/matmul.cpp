// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <cassert>
#include <string_view>

#include "array/indexing.hpp"
#include "array/operand.hpp"
#include "array/ops.hpp"
#include "backend/devices/backend_of.hpp"
#include "backend/host/scalar.hpp"
#include "core/error.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray::ops {
namespace {

bool is_zero(const Scalar& scalar) { return !cast_scalar(scalar, DType::bool_).as<bool>(); }

[[noreturn]] void throw_mismatch(const Array& a, const Array& b) {
  throw ShapeError(
      "matmul: shapes " + to_string(a.shape()) + " and " + to_string(b.shape()) +
      " do not fit: the last axis of the first and the last but one of the second differ");
}

// Returns a view of a 1-d operand as a row or a column, and others as they are.
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
  Strides strides = without_last_two(matrix.strides());
  return broadcast_strides(without_last_two(matrix.shape()), strides, batch);
}

void last_two(const Strides& strides, int64_t (&pair)[2]) {
  pair[0] = strides[strides.size() - 2];
  pair[1] = strides[strides.size() - 1];
}

// Returns whether libraries can use the matrices in place: their rows or columns are contiguous and
// do not overlap, and the matrices follow each other forwards.
bool is_plain(const Array& matrix) {
  for (int axis = 0; axis < matrix.ndim() - 2; ++axis)
    if (matrix.strides()[axis] < 0) return false;
  int64_t extents[2], strides[2];
  last_two(matrix.shape(), extents);
  last_two(matrix.strides(), strides);
  auto lies_along = [&](int fast, int slow) {
    return (extents[fast] == 1 || strides[fast] == 1) &&
           (extents[slow] == 1 || strides[slow] >= extents[fast]);
  };
  return lies_along(1, 0) || lies_along(0, 1);
}

// Returns a copy by rows. A batch that is broadcast is copied only once.
Array as_plain(const Array& matrix) {
  Shape shape = matrix.shape();
  for (int axis = 0; axis < shape.size() - 2; ++axis)
    if (matrix.strides()[axis] == 0) shape[axis] = 1;
  const Array copied = copy(matrix.view(shape, matrix.strides()));
  return copied.view(matrix.shape(), broadcast_strides(shape, copied.strides(), matrix.shape()));
}

// A product of matrices, without its target.
struct Product {
  Array a, b;
  Shape batch;
  DType dtype;
  bool row, column;  // whether a or b was 1-d
  const MatmulScale* scale;
  bool conjugates = false;  // multiplies conj(a); only if has_long_dots()

  int64_t m() const { return a.shape()[a.ndim() - 2]; }
  int64_t k() const { return a.shape().back(); }
  int64_t n() const { return b.shape().back(); }
  // Whether a library may compute it, so that copying an operand for that is worth while.
  bool is_large() const { return !is_small_matmul(element_count(batch), m(), n(), k()); }
  bool has_integers() const { return is_integer(dtype) || dtype == DType::bool_; }
  // Whether CUDA devices multiply and sum it in one kernel, as products of contiguous rows and a
  // contiguous vector.
  bool has_long_dots() const {
    return !a.device().is_cpu() && scale == nullptr && n() == 1 && element_count(batch) == 1 &&
           k() >= kMatmulLongSum && a.strides().back() == 1 && b.strides()[b.ndim() - 2] == 1;
  }

  // The shape of the target as matrices, with the axes that 1-d operands were given.
  Shape full_shape() const {
    Shape shape = batch;
    shape.push_back(m());
    shape.push_back(n());
    return shape;
  }
  // `full` without the axes that 1-d operands were given.
  Dims without_units(const Dims& full) const {
    Dims dims = full;
    if (column) dims.erase(full.size() - 1);
    if (row) dims.erase(full.size() - 2);
    return dims;
  }
};

void prepare(Array& operand, const Product& product) {
  if (operand.dtype() != product.dtype) operand = astype(operand, product.dtype);
  if (product.is_large() && !product.has_long_dots() && !is_plain(operand))
    operand = as_plain(operand);
}

void multiply_into(const Array& target, Product& product) {
  if (target.size() == 0) return;
  prepare(product.a, product);
  prepare(product.b, product);
  const Array &a = product.a, &b = product.b;
  MatmulPlan plan;
  plan.has_long_dots = product.has_long_dots();
  plan.conjugates = product.conjugates;
  assert(plan.has_long_dots || !plan.conjugates);
  if (product.scale != nullptr) {
    const DType accumulator = compute_dtype(product.dtype);
    plan.scaled = true;
    plan.accumulates = !is_zero(product.scale->beta);
    plan.alpha = cast_scalar(product.scale->alpha, accumulator);
    plan.beta = cast_scalar(product.scale->beta, accumulator);
  }
  Access access(current_stream(target.device()));
  plan.batch = product.batch;
  plan.target_shape = &target.shape();
  plan.m = product.m();
  plan.k = product.k();
  plan.n = product.n();
  plan.a = access.read(a);
  plan.b = access.read(b);
  plan.target = access.write(target);
  plan.a_buffer = a.buffer().get();
  plan.b_buffer = b.buffer().get();
  plan.target_buffer = target.buffer().get();
  plan.a_batch = batch_strides(a, plan.batch);
  plan.b_batch = batch_strides(b, plan.batch);
  plan.target_batch = batch_strides(target, plan.batch);
  last_two(a.strides(), plan.a_strides);
  last_two(b.strides(), plan.b_strides);
  last_two(target.strides(), plan.target_strides);
  backend_of(target.device()).matmul(target.dtype(), plan, access.stream());
}

// Returns whether each element is so long a sum of integer products that the kernel, which has one
// thread for it, would take longer than writing the products to memory and reducing them.
bool is_long_sum(const Product& product) {
  return !product.a.device().is_cpu() && product.scale == nullptr &&
         (product.m() == 1 || product.n() == 1) && product.k() >= kMatmulLongSum &&
         product.has_integers() && !product.has_long_dots();
}

// Computes a product with one row or column as the sum of a * b.T over the last axis.
Array sum_of_products(const Product& product) {
  const Array turned = swap_axes(product.b, -1, -2);
  const Operand operands[] = {product.a, turned};
  const Array products = elementwise(Op::multiply, operands, nullptr, product.dtype);
  const int last[] = {products.ndim() - 1};
  if (product.dtype == DType::bool_) return reduce(Reduction::any, products, last, false);
  return reduce(Reduction::sum, products, last, false, product.dtype);
}

Array multiply(Product& product) {
  const Shape full = product.full_shape();
  const Shape shape = product.without_units(full);
  if (is_long_sum(product) && element_count(full) > 0) {
    const Array sums = sum_of_products(product);
    return sums.view(shape, contiguous_strides(shape));
  }
  const Array target = empty(full, product.dtype, product.a.device());
  multiply_into(target, product);
  return target.view(shape, product.without_units(target.strides()));
}

void require_factor(const char* what, const Scalar& factor, DType dtype) {
  static constexpr std::string_view kKinds = "biufc";
  const char given = factor.given_kind();
  const char most = kind(dtype) == 'i' && given == 'u' ? 'u' : kind(dtype);
  if (kKinds.find(given) > kKinds.find(most))
    throw TypeError(std::string("matmul: ") + what + " of kind '" + given +
                    "' does not fit a result of dtype " + name(dtype));
}

void require_scale(const MatmulScale& scale, const Array* out, DType dtype) {
  require_factor("alpha", scale.alpha, dtype);
  require_factor("beta", scale.beta, dtype);
  if (out == nullptr && !is_zero(scale.beta))
    throw ValueError("matmul: beta needs out, the array that it multiplies");
}

// Returns `out` with the axes that 1-d operands were given.
Array with_units(const Array& out, const Product& product) {
  const Shape full = product.full_shape();
  Strides strides = out.strides();
  if (product.column) strides.push_back(1);
  if (product.row) strides.insert(full.size() - 2, 1);
  return out.view(full, strides);
}

void multiply_into_out(const Array& out, Product& product) {
  const Array whole = with_units(out, product);
  if (out.dtype() == product.dtype && !shares_memory(out, product.a) &&
      !shares_memory(out, product.b) && (is_plain(whole) || !product.is_large()))
    return multiply_into(whole, product);
  if (product.scale == nullptr || is_zero(product.scale->beta)) {
    const Array result = multiply(product);
    return assign(out, result);
  }
  const Array target = astype(whole, product.dtype, 'C');
  multiply_into(target, product);
  assign(whole, target);
}

Product product_of(const Array& a, const Array& b, const MatmulScale* scale) {
  if (a.ndim() == 0 || b.ndim() == 0)
    throw ShapeError("matmul: operands need at least one dimension, got shapes " +
                     to_string(a.shape()) + " and " + to_string(b.shape()));
  Product product{as_matrix(a, true), as_matrix(b, false), {},   promote(a.dtype(), b.dtype()),
                  a.ndim() == 1,      b.ndim() == 1,       scale};
  const Array &left = product.a, &right = product.b;
  if (left.shape().back() != right.shape()[right.ndim() - 2]) throw_mismatch(a, b);
  Shape batches[] = {without_last_two(left.shape()), without_last_two(right.shape())};
  product.batch = broadcast_shapes(batches, "matmul");
  return product;
}

}  // namespace

Array matmul(const Array& a, const Array& b, const Array* out, const MatmulScale* scale) {
  const Operand operands[] = {a, b};
  common_device(operands, out, "matmul");
  Product product = product_of(a, b, scale);
  if (scale != nullptr) require_scale(*scale, out, product.dtype);
  if (out == nullptr) return multiply(product);
  require_out(*out, product.without_units(product.full_shape()), product.dtype, "matmul");
  multiply_into_out(*out, product);
  return *out;
}

Array vdot(const char* what, const Array& a, const Array& b) {
  const Operand operands[] = {a, b};
  common_device(operands, nullptr, what);
  Product product = product_of(a, b, nullptr);
  if (is_complex(a.dtype())) {
    product.conjugates = product.has_long_dots();
    const Operand left[] = {product.a};
    if (!product.conjugates) product.a = elementwise(Op::conjugate, left);
  }
  return multiply(product);
}

}  // namespace gpuarray::ops
