// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <span>
#include <string>

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

// Throws ValueError if the parameter is a pointer and the array is not contiguous.
void require_layout(const Array& array, const ExpressionParameter& parameter, const char* what);

// Returns whether a loop that writes `written` could overwrite elements of the input before it
// reads them. It reads just the element that it writes, or, if `whole`, any.
bool disturbs(const Array& written, const Array& input, bool whole);

// Adds a RawArray over the array's memory, with its layout, to the block.
void add_array(ArgumentBlock& block, const Array& array, const Shape& shape, const Strides& strides,
               bool writes = false);
// Adds a parameter that is no element: a scalar, a raw array or a pointer.
void add_constant(ArgumentBlock& block, const ExpressionParameter& parameter,
                  const Argument& argument);

// Runs the expression over the broadcast shape of its elements, on the device's current stream. A
// result is made for each parameter without an argument, with its axes in the order of those of the
// inputs, and put into `made`, which has room for exactly those. Inputs that overlap a written
// array are copied first. Throws ValueError, ShapeError and ReadOnlyError before anything is
// queued, CompileError, and DeviceError where there is no compiler.
void run_expression(Expression& expression, const ExpressionCall& call, std::span<Array> made);

}  // namespace gpuarray::ops
