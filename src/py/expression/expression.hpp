// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "array/expression.hpp"
#include "backend/devices/fold.hpp"
#include "backend/expression.hpp"
#include "py/binding/ref.hpp"

namespace gpuarray::py {

// For each of the first parameters of a kernel, which argument of the call it is. Absent: the
// parameters are the arguments, in order. Only kernels of fused functions have it; a call that
// such a kernel cannot serve goes to the function itself.
using ArgumentPlaces = std::optional<std::vector<int>>;

// An element-wise kernel for calls with arguments of one signature. The expression's first
// parameters are arguments of the call; a call makes arrays for those after them.
struct Program {
  enum class Returns { nothing, one, tuple };

  std::unique_ptr<Expression> expression;
  Returns returns = Returns::nothing;
  std::vector<int> results;  // the parameters that a call returns
  ArgumentPlaces arguments;

  const std::vector<int>* places() const { return arguments ? &*arguments : nullptr; }
};
using ProgramPtr = std::shared_ptr<Program>;

// A reduction or scan for calls with arguments of one signature.
struct FoldProgram {
  FoldProgram(ExpressionText map, std::vector<ExpressionParameter> parameters, FoldText text)
      : fold(std::move(map), std::move(parameters), std::move(text)) {}

  Fold fold;
  ArgumentPlaces arguments;
  Ref axis;  // of a fused reduction: null or None, an int, or a tuple of ints
  bool keepdims = false;
};
using FoldProgramPtr = std::shared_ptr<FoldProgram>;

// What calls with arguments of one signature run; nothing if they go to the function itself.
using AnyProgram = std::variant<std::monostate, ProgramPtr, FoldProgramPtr>;

// Returns the program of a _Program or a _Fold, nothing for None. Throws TypeError for any other
// object.
AnyProgram program_of(PyObject* object);
// Returns the program of a _Program; null for an object of another type.
const ProgramPtr* expression_program_of(PyObject* object);
const FoldProgramPtr* fold_program_of(PyObject* object);

// Convert the `parameters`, `types` and `arguments` of a _Program or a _Fold. They throw TypeError
// or ValueError for malformed ones. Null `arguments` are absent.
std::vector<ExpressionParameter> expression_parameters(PyObject* sequence);
std::vector<std::pair<std::string, DType>> expression_types(PyObject* sequence);
ArgumentPlaces argument_places(PyObject* sequence);
// Writes the `build`, `host_options` and `cuda_only` of a _Program or a _Fold to `text`; null
// where they are not given.
void set_compilation(ExpressionText& text, PyObject* build, PyObject* host_options,
                     PyObject* cuda_only);

// Returns the sources of Expression::sources() as a tuple of str.
Ref sources_of(Expression& expression);

// Runs a reduction or scan of arguments that fit its parameters, on the device's current stream
// or on `stream`, unless that is null or None. Returns `out`, or a new array if that is null.
// Throws AxisError, and what ops::run_fold throws.
Ref run_fold(Fold& fold, std::span<const ops::Argument> arguments, Device device, PyObject* axis,
             bool keepdims, PyObject* out, PyObject* stream);

}  // namespace gpuarray::py
