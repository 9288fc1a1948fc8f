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

// A key of draws: an array of one uint64, or its number, for draws on the cpu device.
using DrawKey = std::variant<uint64_t, Array>;

// Fills the contiguous array `out` with draws, whose random numbers follow from the key and from
// their places. Queued on the current stream, as all operations (ops.hpp).
// Parameters of arrays that the distribution does not have give NaN, or the smallest int64.
// Throws TypeError, ValueError, ShapeError, DeviceError and ReadOnlyError.
void draw(Distribution distribution, const DrawKey& key, const Array& out,
          std::span<const DrawParameter> parameters);

// Returns the positions that sort random words of this shape along the axis: random orders.
Array sorted_word_order(const DrawKey& key, const Shape& shape, int axis);

}  // namespace gpuarray::ops
