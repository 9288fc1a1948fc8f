// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

inline constexpr int kDistributionParameters = 3;

// A parameter of a distribution: one number for all draws, or what `data` holds at every `step`
// doubles, for each draw.
struct DistributionParameter {
  const double* data;  // null: `value` is the parameter
  double value;
  int64_t step;

  GPUARRAY_HD double at(int64_t draw) const { return data != nullptr ? data[draw * step] : value; }
};

// What the kernels of distributions take.
struct DistributionParams {
  void* target;
  const uint64_t* key;
  int64_t count;   // draws
  int64_t length;  // elements of a draw
  DistributionParameter parameters[kDistributionParameters];
};

}  // namespace gpuarray
