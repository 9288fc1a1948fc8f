// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "backend/expression.hpp"
#include "backend/steps.hpp"
#include "core/device.hpp"
#include "core/op.hpp"

namespace gpuarray {

// Steps that nobody prepared get a kernel of their own when they run so often.
inline constexpr int kRunsBeforeCompiling = 2;

// What is kept of steps that ran: all that follows from their operations, dtypes and the places of
// their operands, but not from shapes, addresses and the values of scalars.
struct KnownSteps {
  KnownSteps(const Steps& steps, std::optional<Reduction> reduction);

  std::atomic<int> runs = 0;
  std::vector<int> operands;               // of Steps::memory, in the order of the expression's
  std::shared_ptr<Expression> expression;  // null if it has too many operands
};

// Returns what is known of the steps, or of a reduction of what the last of them computes, whose
// expression returns the element instead of writing it. Thread-safe.
std::shared_ptr<KnownSteps> known_steps(const Steps& steps,
                                        std::optional<Reduction> reduction = std::nullopt);

// Adds the values of the scalars to the constants, as the last parameters of the expression.
void add_scalars(Constants& constants, const Steps& steps);
// Adds the orders in which the kernel of reductions takes the rows that steps reduce.
void add_orders(Constants& constants, const Steps& steps, Device device);

}  // namespace gpuarray
