// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <memory>

#include "backend/host.hpp"
#include "backend/host_reduce.hpp"
#include "backend/visit.hpp"
#include "kernels/cast.cuh"
#include "kernels/math.cuh"

namespace gpuarray::host {
namespace {

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
      target[row * plan.target_strides[0] + column * plan.target_strides[1]] =
          cast<T>(totals[column]);
  }
}

}  // namespace

void matmul(DType dtype, const MatmulPlan& plan) {
  visit_dtype(dtype, [&]<class T>() {
    int64_t batches = 1;
    for (int64_t extent : plan.batch) batches *= extent;
    Walk operands(plan.batch, &plan.a_batch, &plan.b_batch);
    Walk targets(plan.batch, &plan.target_batch);
    for (int64_t batch = 0; batch < batches; ++batch, operands.next(), targets.next())
      multiply<T>(plan, static_cast<T*>(plan.target) + targets.offset(0),
                  static_cast<const T*>(plan.a) + operands.offset(0),
                  static_cast<const T*>(plan.b) + operands.offset(1));
  });
}

}  // namespace gpuarray::host
