// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <span>
#include <variant>

#include "array/array.hpp"
#include "backend/distribution.hpp"

namespace gpuarray::ops {

// A parameter of a distribution: a number, or a contiguous array of float64 with one element for
// all draws or one for each; for a row, with as many elements as a row or as the target has.
using DrawParameter = std::variant<double, Array>;

// Fills the contiguous array `out` with draws, whose random numbers follow from the key, an array
// of one uint64, and from their places. Queued on the current stream, as all operations (ops.hpp).
// Parameters of arrays that the distribution does not have give NaN, or the smallest int64.
// Throws TypeError, ShapeError, DeviceError and ReadOnlyError.
void draw(Distribution distribution, const Array& key, const Array& out,
          std::span<const DrawParameter> parameters);

}  // namespace gpuarray::ops
