// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <span>

#include "array/array.hpp"
#include "core/op.hpp"

namespace gpuarray::ops {

// Comparisons of integers that no common integer dtype holds, which NumPy compares by value: int64
// with uint64, and Python integers beyond the other operand's dtype. nullopt when the usual loop is
// exact.
std::optional<Array> compare_exactly(Op op, std::span<const Operand> operands, const Shape& shape,
                                     Device device);

}  // namespace gpuarray::ops
