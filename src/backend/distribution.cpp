// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/distribution.hpp"

#include "core/error.hpp"

namespace gpuarray {
namespace {

constexpr DistributionInfo kDistributions[] = {
#define GPUARRAY_REAL(name, parameters) {#name, parameters, false, DType::float64},
#define GPUARRAY_WHOLE(name, parameters) {#name, parameters, false, DType::int64},
#define GPUARRAY_ROWS(name, parameters, dtype) {#name, parameters, true, DType::dtype},
#include "kernels/random/distributions.def"
};

}  // namespace

const DistributionInfo& info(Distribution distribution) {
  return kDistributions[static_cast<int>(distribution)];
}

Distribution to_distribution(const std::string& name) {
  for (int k = 0; k < kDistributionCount; ++k)
    if (name == kDistributions[k].name) return static_cast<Distribution>(k);
  throw ValueError("there is no distribution '" + name + "'");
}

}  // namespace gpuarray
