// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <span>

#include "array/array.hpp"
#include "backend/expression.hpp"

namespace gpuarray::ops {

// What a call passes for a parameter: an array, which is borrowed; a scalar of the parameter's
// dtype; or neither, for a result that the run makes.
struct Argument {
  const Array* array = nullptr;
  Scalar scalar;
};

// One call of an expression.
struct ExpressionCall {
  std::span<const Argument> arguments;  // one for each parameter
  Device device;                        // where all arrays are
  std::optional<int64_t> size;          // elements of the loop, if all arrays are raw
  int64_t start = 0;                    // the first index, if the parameters are pointers
  int64_t step = 1;                     // the distance between indices in that case
};

// Runs the expression over the broadcast shape of its elements, on the device's current stream. A
// result is made for each parameter without an argument, with its axes in the order of those of the
// inputs, and put into `made`, which has room for exactly those. Inputs that overlap a written
// array are copied first. Throws ValueError, ShapeError and ReadOnlyError before anything is
// queued, CompileError, and DeviceError where there is no compiler.
void run_expression(Expression& expression, const ExpressionCall& call, std::span<Array> made);

}  // namespace gpuarray::ops
