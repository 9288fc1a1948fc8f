// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backend/expression.hpp"
#include "py/binding/ref.hpp"

namespace gpuarray::py {

// What a call with arguments of one signature runs. The expression's first parameters are the
// call's arguments, in order or as `arguments` says; those after them are made.
struct Program {
  enum class Returns { nothing, one, tuple };

  std::unique_ptr<Expression> expression;
  Returns returns = Returns::nothing;
  std::vector<int> results;  // parameters
  // That of each of the first parameters of a function that is fused.
  std::optional<std::vector<int>> arguments;

  const std::vector<int>* places() const { return arguments ? &*arguments : nullptr; }
};
using ProgramPtr = std::shared_ptr<Program>;

// Throws TypeError for anything but a _Program.
const ProgramPtr& program_of(PyObject* object);

// The `parameters` and `types` of a _Program.
std::vector<ExpressionParameter> expression_parameters(PyObject* sequence);
std::vector<std::pair<std::string, DType>> expression_types(PyObject* sequence);
// Its `build`, `host_options` and `cuda_only`; null where not given.
void set_compilation(ExpressionText& text, PyObject* build, PyObject* host_options,
                     PyObject* cuda_only);

}  // namespace gpuarray::py
