// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <span>

#include "array/expression.hpp"
#include "backend/devices/fold.hpp"

namespace gpuarray::ops {

// Returns the shape that a fold goes over: the broadcast shape of its elements, or, if the text
// indexes all arrays itself, one axis as long as the first of them. Throws ShapeError for shapes
// that do not broadcast, and ValueError if there is no array.
Shape fold_shape(const Fold& fold, std::span<const Argument> arguments);

// Runs the fold over `shape` on the device's current stream: a reduction over `axes`, which are
// normalized and without repeats, or a scan along the only one. Writes the result to `out` and
// returns that, or returns a new array if `out` is null. Throws ShapeError, ValueError, TypeError
// and ReadOnlyError before anything is queued, CompileError, and DeviceError where there is no
// compiler.
Array run_fold(Fold& fold, std::span<const Argument> arguments, Device device, const Shape& shape,
               std::span<const int> axes, bool keepdims, const Array* out = nullptr);

}  // namespace gpuarray::ops
