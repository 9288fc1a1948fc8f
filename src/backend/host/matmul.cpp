// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <memory>

#include "backend/host/host.hpp"
#include "backend/host/walk.hpp"
#include "backend/visit.hpp"
#include "core/layout.hpp"
#include "kernels/element/cast.cuh"
#include "kernels/element/math.cuh"
#include "kernels/tuning.hpp"

namespace gpuarray::host {
namespace {

constexpr int64_t kFewColumns = 32;

void (*library_multiply)(DType dtype, const MatmulPlan& plan) = nullptr;

// Stores `total`, or alpha * total + beta * target if the plan is scaled.
template <class T, class C>
void store(const MatmulPlan& plan, stored_t<T>& target, C total) {
  if (plan.scaled) {
    total = math::multiply(plan.alpha.as<C>(), total);
    if (plan.accumulates)
      total = math::add(total, math::multiply(plan.beta.as<C>(), cast<C>(target)));
  }
  target = cast<T>(total);
}

// Adds the products with a row of bools: what a false factor adds is nothing, and bytes are added
// by vectors.
void add_bools(uint8_t* totals, bool factor, const uint8_t* line, int64_t step, int64_t count) {
  if (factor && step == 1)
    for (int64_t k = 0; k < count; ++k) totals[k] |= uint8_t(line[k] != 0);
  else if (factor)
    for (int64_t k = 0; k < count; ++k) totals[k] |= uint8_t(line[k * step] != 0);
}

// Returns the sum of products of a row and a column, added in order.
template <class T>
compute_t<T> product_sum(const stored_t<T>* row, int64_t row_step, const stored_t<T>* column,
                         int64_t column_step, int64_t count) {
  using C = compute_t<T>;
  C total = cast<C>(false);
  const auto add = [&](stored_t<T> left, stored_t<T> right) {
    total = math::add(total, math::multiply(cast<C>(left), cast<C>(right)));
  };
  if (row_step == 1 && column_step == 1)
    for (int64_t i = 0; i < count; ++i) add(row[i], column[i]);
  else
    for (int64_t i = 0; i < count; ++i) add(row[i * row_step], column[i * column_step]);
  return total;
}

// Computes `width` neighbouring columns of the target, a row at a time, whose sums stay in
// registers. Columns of b that are contiguous have a loop of their own, of which the compiler makes
// vectors.
template <int width, bool is_dense, class T>
void multiply_columns(const MatmulPlan& plan, stored_t<T>* target, const stored_t<T>* a,
                      const stored_t<T>* b) {
  using C = compute_t<T>;
  const int64_t step = is_dense ? 1 : plan.b_strides[1];
  for (int64_t row = 0; row < plan.m; ++row) {
    C totals[width];
    std::fill_n(totals, width, cast<C>(false));
    for (int64_t i = 0; i < plan.k; ++i) {
      const C factor = cast<C>(a[row * plan.a_strides[0] + i * plan.a_strides[1]]);
      const stored_t<T>* const line = b + i * plan.b_strides[0];
      for (int column = 0; column < width; ++column)
        totals[column] =
            math::add(totals[column], math::multiply(factor, cast<C>(line[column * step])));
    }
    for (int column = 0; column < width; ++column)
      store<T>(plan, target[row * plan.target_strides[0] + column * plan.target_strides[1]],
               totals[column]);
  }
}

// Computes the columns of the target by as many as some vectors hold, then the others by fewer.
template <int width, bool is_dense, class T>
void multiply_by_columns(const MatmulPlan& plan, stored_t<T>* target, const stored_t<T>* a,
                         const stored_t<T>* b, int64_t column = 0) {
  for (; column + width <= plan.n; column += width)
    multiply_columns<width, is_dense, T>(plan, target + column * plan.target_strides[1], a,
                                         b + column * plan.b_strides[1]);
  if constexpr (width > 1) multiply_by_columns<width / 2, is_dense, T>(plan, target, a, b, column);
}

void multiply_bools(const MatmulPlan& plan, BoolByte* target, const BoolByte* a,
                    const BoolByte* b) {
  // Small products come in batches, of which none allocates.
  uint8_t few[kFewColumns];
  std::unique_ptr<uint8_t[]> many;
  if (plan.n > kFewColumns) many = std::make_unique<uint8_t[]>(static_cast<size_t>(plan.n));
  uint8_t* const totals = many ? many.get() : few;
  for (int64_t row = 0; row < plan.m; ++row) {
    std::fill_n(totals, plan.n, uint8_t{0});
    for (int64_t i = 0; i < plan.k; ++i)
      add_bools(totals, cast<bool>(a[row * plan.a_strides[0] + i * plan.a_strides[1]]),
                reinterpret_cast<const uint8_t*>(b + i * plan.b_strides[0]), plan.b_strides[1],
                plan.n);
    for (int64_t column = 0; column < plan.n; ++column)
      store<bool>(plan, target[row * plan.target_strides[0] + column * plan.target_strides[1]],
                  totals[column] != 0);
  }
}

// Each sum of products is added in order, whatever computes it.
template <class T>
void multiply(const MatmulPlan& plan, stored_t<T>* target, const stored_t<T>* a,
              const stored_t<T>* b) {
  if (plan.n == 1) {
    for (int64_t row = 0; row < plan.m; ++row)
      store<T>(plan, target[row * plan.target_strides[0]],
               product_sum<T>(a + row * plan.a_strides[0], plan.a_strides[1], b, plan.b_strides[0],
                              plan.k));
  } else if constexpr (is_bool_v<T>) {
    multiply_bools(plan, target, a, b);
  } else if (plan.b_strides[1] == 1) {
    multiply_by_columns<std::max<int>(8, 64 / sizeof(compute_t<T>)), true, T>(plan, target, a, b);
  } else {
    multiply_by_columns<8, false, T>(plan, target, a, b);
  }
}

bool is_for_library(DType dtype, const MatmulPlan& plan) {
  return library_multiply != nullptr && (kind(dtype) == 'f' || kind(dtype) == 'c') &&
         double(element_count(plan.batch)) * double(plan.m) * double(plan.n) * double(plan.k) >
             kMatmulHostProducts;
}

// Returns a copy of a matrix by rows, in the dtype that the library computes in.
template <class T>
BufferPtr converted(const stored_t<T>* from, const int64_t (&strides)[2], int64_t rows,
                    int64_t columns) {
  BufferPtr memory = new_memory<compute_t<T>>(rows * columns);
  auto* const matrix = static_cast<compute_t<T>*>(memory->data());
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      matrix[row * columns + column] =
          cast<compute_t<T>>(from[row * strides[0] + column * strides[1]]);
  return memory;
}

// Computes the library's product in memory of its own, then stores it element by element.
template <class T>
void multiply_beside(DType dtype, const MatmulPlan& plan, stored_t<T>* target, const stored_t<T>* a,
                     const stored_t<T>* b) {
  const BufferPtr left = converted<T>(a, plan.a_strides, plan.m, plan.k);
  const BufferPtr right = converted<T>(b, plan.b_strides, plan.k, plan.n);
  const BufferPtr product = new_memory<compute_t<T>>(plan.m * plan.n);
  MatmulPlan dense;
  dense.m = plan.m;
  dense.n = plan.n;
  dense.k = plan.k;
  dense.a = left->data();
  dense.b = right->data();
  dense.target = product->data();
  dense.a_buffer = left.get();
  dense.b_buffer = right.get();
  dense.target_buffer = product.get();
  dense.a_strides[0] = plan.k;
  dense.b_strides[0] = dense.target_strides[0] = plan.n;
  dense.a_strides[1] = dense.b_strides[1] = dense.target_strides[1] = 1;
  library_multiply(compute_dtype(dtype), dense);
  const auto* const totals = static_cast<const compute_t<T>*>(product->data());
  for (int64_t row = 0; row < plan.m; ++row)
    for (int64_t column = 0; column < plan.n; ++column)
      store<T>(plan, target[row * plan.target_strides[0] + column * plan.target_strides[1]],
               totals[row * plan.n + column]);
}

// Calls multiply(target, a, b) for each product of the batch.
template <class T, class Multiply>
void for_each_product(const MatmulPlan& plan, Multiply&& multiply) {
  const int64_t batches = element_count(plan.batch);
  OffsetWalk operands(plan.batch, &plan.a_batch, &plan.b_batch);
  OffsetWalk targets(plan.batch, &plan.target_batch);
  for (int64_t batch = 0; batch < batches; ++batch, operands.next(), targets.next())
    multiply(static_cast<stored_t<T>*>(plan.target) + targets.offset(0),
             static_cast<const stored_t<T>*>(plan.a) + operands.offset(0),
             static_cast<const stored_t<T>*>(plan.b) + operands.offset(1));
}

}  // namespace

void set_matmul_library(void (*multiply)(DType dtype, const MatmulPlan& plan)) {
  library_multiply = multiply;
}

void matmul(DType dtype, const MatmulPlan& plan) {
  const bool by_library = is_for_library(dtype, plan);
  if (by_library && !plan.scaled && compute_dtype(dtype) == dtype)
    return library_multiply(dtype, plan);
  visit_dtype(dtype, [&]<class T>() {
    for_each_product<T>(plan, [&](auto* target, const auto* a, const auto* b) {
      if (by_library)
        multiply_beside<T>(dtype, plan, target, a, b);
      else
        multiply<T>(plan, target, a, b);
    });
  });
}

}  // namespace gpuarray::host
