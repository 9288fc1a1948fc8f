// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "backend/backend.hpp"
#include "backend/host/walk.hpp"
#include "kernels/reduce/reduce_params.hpp"
#include "kernels/reduce/reduce_row.hpp"

namespace gpuarray::host {

using ReduceLoop = void (*)(const ReducePlan& plan);

// The loop of each reduction for each dtype of the source.
struct ReduceTable {
  // loops[0] compute in the source's dtype, loops[1] in that of default_loop_dtype().
  ReduceLoop loops[2][kReductionCount][kDTypeCount] = {};
};

// Each adds the loops of its class of dtypes.
void add_integer_reductions(ReduceTable& table);
void add_half_reductions(ReduceTable& table);
void add_float_reductions(ReduceTable& table);
void add_complex_reductions(ReduceTable& table);

// Runs a reduction, row by row along the innermost reduced axis.
template <class Reducer>
void reduce_loop(const ReducePlan& plan) {
  auto* target = static_cast<typename Reducer::result*>(plan.target);
  int inner = plan.reduced.size() - 1;
  int64_t count = inner < 0 ? 1 : plan.reduced[inner];
  int64_t step = inner < 0 ? 0 : plan.reduced_strides[inner];
  Shape outer = plan.reduced;
  if (inner >= 0) outer.erase(inner);
  int64_t outputs = 1, rows = 1;
  for (int64_t extent : plan.kept) outputs *= extent;
  for (int64_t extent : outer) rows *= extent;
  OffsetWalk kept(plan.kept, &plan.kept_strides, &plan.target_strides);
  for (int64_t output = 0; output < outputs; ++output, kept.next()) {
    const auto* source =
        static_cast<const stored_t<typename Reducer::value>*>(plan.source) + kept.offset(0);
    auto total = Reducer::identity();
    OffsetWalk walk(outer, &plan.reduced_strides);
    for (int64_t row = 0; row < rows; ++row, walk.next())
      total = Reducer::combine(
          total, reduce_row<Reducer>(source + walk.offset(0), step, count, row * count));
    if constexpr (Averaging<Reducer>)
      target[kept.offset(1)] = Reducer::finish(total, {plan.divisor, plan.root});
    else
      target[kept.offset(1)] = Reducer::finish(total);
  }
}

}  // namespace gpuarray::host
