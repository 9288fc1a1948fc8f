// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/cuda/elementwise_kernels.hpp"
#include "kernels/elementwise/params.hpp"

// The element-wise kernels' paths: which one a plan takes, and its parameters. No CUDA here, so
// that the choice is testable anywhere.
namespace gpuarray::paths {

Path choose(const ElementwisePlan& plan);

// Each fills the parameters of a plan for which choose() gave its path, and returns the launch.
template <int Operands>
LaunchShape fill(FlatParams<Operands>& params, const ElementwisePlan& plan);
template <int Operands>
LaunchShape fill(RowsParams<Operands>& params, const ElementwisePlan& plan);
template <int Operands>
LaunchShape fill(TileParams<Operands>& params, const ElementwisePlan& plan);

}  // namespace gpuarray::paths
