// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

namespace gpuarray {

// The most axes that kernels for any strides take. Axes of one element are dropped and neighbouring
// axes merged before a launch, so that an array with more of them would have 2^33 elements at
// least.
inline constexpr int kParamDims = 32;

}  // namespace gpuarray
