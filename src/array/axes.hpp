// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <span>

#include "core/dims.hpp"

namespace gpuarray::ops {

// The kept and the reduced axes of a reduction.
struct SplitAxes {
  Shape kept, reduced;
  Strides kept_strides, reduced_strides;
  Shape result;  // with axes of extent 1 if keepdims, else equal to kept
};
SplitAxes split_axes(const Shape& shape, const Strides& strides, std::span<const int> axes,
                     bool keepdims);

// Returns the strides of the result's kept axes. It may have the reduced ones with extent 1.
Strides kept_strides(const Strides& result, const SplitAxes& split, std::span<const int> axes);

}  // namespace gpuarray::ops
