// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <span>

#include "array/expression.hpp"
#include "backend/devices/fold.hpp"

namespace gpuarray::ops {

// The shape that a user's reduction or scan goes over: that of its elements, broadcast, or one
// axis as long as the first array that the text indexes itself. Throws ShapeError, ValueError.
Shape fold_shape(const Fold& fold, std::span<const Argument> arguments);

// Runs it on the device's current stream, over `shape`: a reduction over `axes` (normalized, no
// repeats), a scan along the only one. The result goes to `out`, or to a new array. Throws shape,
// dtype and read-only errors before anything is queued.
Array run_fold(Fold& fold, std::span<const Argument> arguments, Device device, const Shape& shape,
               std::span<const int> axes, bool keepdims, const Array* out = nullptr);

}  // namespace gpuarray::ops
