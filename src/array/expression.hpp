// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <span>

#include "array/array.hpp"
#include "backend/expression.hpp"

namespace gpuarray::ops {

// What a parameter stands for in a call: an array, a scalar of the parameter's dtype, or nothing,
// for a result that is to be made.
struct Argument {
  const Array* array = nullptr;
  Scalar scalar;
};

struct ExpressionCall {
  std::span<const Argument> arguments;  // one for each parameter
  Device device;                        // of all arrays
  std::optional<int64_t> size;          // of the loop, where no array says it
  int64_t start = 0;                    // of the index, and its step, in expressions of pointers
  int64_t step = 1;
};

// Runs the expression over the broadcast shape of its elements, on the device's current stream.
// What is to be made is allocated in the order of axes of the others, and put into `made`, one for
// each parameter without an argument, in order. Inputs that overlap what is written are copied
// first. Throws shape and read-only errors before anything is queued.
void run_expression(Expression& expression, const ExpressionCall& call, std::span<Array> made);

}  // namespace gpuarray::ops
