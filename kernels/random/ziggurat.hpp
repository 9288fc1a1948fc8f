// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

inline constexpr int kZigguratLayers = 256;

}  // namespace gpuarray
