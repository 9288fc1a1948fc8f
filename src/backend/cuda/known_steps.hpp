// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <memory>
#include <optional>

#include "backend/cuda/program.hpp"
#include "backend/expression.hpp"
#include "backend/steps.hpp"

namespace gpuarray {

// What is kept of steps that ran: all that follows from their operations, dtypes and the places of
// their operands, but not from shapes, addresses and the values of scalars.
struct KnownSteps {
  explicit KnownSteps(const Steps& steps);

  const char* label;  // "multiply+add+divide", for the life of the process
  int runs = 0;
  uint32_t words;  // bits of the words that the interpreter has for them; 0 if it cannot run them
  std::optional<CompiledProgram> program;  // for the interpreter
  // The same as an expression, made at the first request; null if it has too many parameters.
  const std::shared_ptr<Expression>& expression(const Steps& steps);

 private:
  bool is_made_ = false;
  std::shared_ptr<Expression> expression_;
};

// Returns what is known of the steps. The caller has their memory open, so that one thread at a
// time works with it.
KnownSteps& known_steps(const Steps& steps);

// Writes the arrays and scalars of the steps to a plan of their expression.
void fill_plan(ExpressionPlan& plan, const Steps& steps);

}  // namespace gpuarray
