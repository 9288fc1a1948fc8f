// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <memory>

#include "backend/host.hpp"
#include "backend/host_reduce.hpp"
#include "backend/visit.hpp"
#include "core/layout.hpp"
#include "kernels/cast.cuh"
#include "kernels/math.cuh"
#include "kernels/tuning.hpp"

namespace gpuarray::host {
namespace {

void (*library_multiply)(DType dtype, const MatmulPlan& plan) = nullptr;

// target = total, or alpha * total + beta * target.
template <class T, class C>
void store(const MatmulPlan& plan, T& target, C total) {
  if (plan.scaled) {
    total = math::multiply(plan.alpha.as<C>(), total);
    if (plan.accumulates)
      total = math::add(total, math::multiply(plan.beta.as<C>(), cast<C>(target)));
  }
  target = cast<T>(total);
}

// One row of the target at a time, so that the inner loop runs along rows of b.
template <class T>
void multiply(const MatmulPlan& plan, T* target, const T* a, const T* b) {
  using C = compute_t<T>;
  // Not vector<C>: vector<bool> has no elements to point at.
  auto totals = std::make_unique<C[]>(static_cast<size_t>(plan.n));
  for (int64_t row = 0; row < plan.m; ++row) {
    std::fill_n(totals.get(), plan.n, cast<C>(false));
    for (int64_t i = 0; i < plan.k; ++i) {
      C factor = cast<C>(a[row * plan.a_strides[0] + i * plan.a_strides[1]]);
      const T* line = b + i * plan.b_strides[0];
      for (int64_t column = 0; column < plan.n; ++column)
        totals[column] = math::add(
            totals[column], math::multiply(factor, cast<C>(line[column * plan.b_strides[1]])));
    }
    for (int64_t column = 0; column < plan.n; ++column)
      store(plan, target[row * plan.target_strides[0] + column * plan.target_strides[1]],
            totals[column]);
  }
}

void own_matmul(DType dtype, const MatmulPlan& plan) {
  visit_dtype(dtype, [&]<class T>() {
    const int64_t batches = element_count(plan.batch);
    Walk operands(plan.batch, &plan.a_batch, &plan.b_batch);
    Walk targets(plan.batch, &plan.target_batch);
    for (int64_t batch = 0; batch < batches; ++batch, operands.next(), targets.next())
      multiply<T>(plan, static_cast<T*>(plan.target) + targets.offset(0),
                  static_cast<const T*>(plan.a) + operands.offset(0),
                  static_cast<const T*>(plan.b) + operands.offset(1));
  });
}

bool is_for_library(DType dtype, const MatmulPlan& plan) {
  const bool has_dtype = kind(dtype) == 'c' || (kind(dtype) == 'f' && itemsize(dtype) >= 4);
  return library_multiply != nullptr && has_dtype &&
         double(element_count(plan.batch)) * double(plan.m) * double(plan.n) * double(plan.k) >
             kMatmulHostProducts;
}

// The library's product beside the target, then element by element into it.
template <class T>
void scale_from_library(DType dtype, const MatmulPlan& plan) {
  Shape shape = plan.batch;
  shape.push_back(plan.m);
  shape.push_back(plan.n);
  Strides targets = plan.target_batch;
  targets.push_back(plan.target_strides[0]);
  targets.push_back(plan.target_strides[1]);
  const Strides dense = contiguous_strides(shape);
  const int64_t size = element_count(shape);
  const auto products = std::make_unique_for_overwrite<T[]>(static_cast<size_t>(size));
  MatmulPlan unscaled = plan;
  unscaled.target = products.get();
  for (int axis = 0; axis < plan.batch.size(); ++axis) unscaled.target_batch[axis] = dense[axis];
  unscaled.target_strides[0] = plan.n;
  unscaled.target_strides[1] = 1;
  library_multiply(dtype, unscaled);
  Walk walk(shape, &targets);
  for (int64_t i = 0; i < size; ++i, walk.next())
    store(plan, static_cast<T*>(plan.target)[walk.offset(0)],
          cast<compute_t<T>>(products[static_cast<size_t>(i)]));
}

}  // namespace

void set_matmul_library(void (*multiply)(DType dtype, const MatmulPlan& plan)) {
  library_multiply = multiply;
}

void matmul(DType dtype, const MatmulPlan& plan) {
  if (!is_for_library(dtype, plan)) return own_matmul(dtype, plan);
  if (!plan.scaled) return library_multiply(dtype, plan);
  visit_dtype(dtype, [&]<class T>() { scale_from_library<T>(dtype, plan); });
}

}  // namespace gpuarray::host
