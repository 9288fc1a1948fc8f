// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <string>

#include "core/dims.hpp"
#include "core/dtype.hpp"
#include "kernels/random/distribution_params.hpp"

namespace gpuarray {

// The distributions of our own algorithm, one a row of kernels/random/distributions.def.
enum class Distribution : uint8_t {
#define GPUARRAY_REAL(name, ...) name,
#define GPUARRAY_WHOLE(name, ...) name,
#define GPUARRAY_ROWS(name, ...) name,
#include "kernels/random/distributions.def"
};

inline constexpr int kDistributionCount = 0
#define GPUARRAY_REAL(...) +1
#define GPUARRAY_WHOLE(...) +1
#define GPUARRAY_ROWS(...) +1
#include "kernels/random/distributions.def"
    ;

// A row of kernels/random/distributions.def.
struct DistributionInfo {
  const char* name;
  int parameters;  // how many
  bool rows;       // whether a draw is a row: its second parameter is one, too
  DType dtype;     // of results; where it is float64 and there are no rows, float32 is, too
};

// Returns the row of a distribution.
const DistributionInfo& info(Distribution distribution);
// Returns the distribution of this name. Throws ValueError.
Distribution to_distribution(const std::string& name);

// Describes draws: element i of the target, or its row i, is made of the random numbers of the key
// and i. All memory is contiguous, and is borrowed. A target of `dirichlet` may be its parameter.
struct DistributionPlan {
  Distribution distribution;
  DType dtype;  // of the target
  DistributionParams params{};
  const Shape* shape = nullptr;  // shown by error messages; must outlive the plan
};

}  // namespace gpuarray
