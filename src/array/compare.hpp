// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <span>

#include "array/array.hpp"
#include "core/op.hpp"

namespace gpuarray::ops {

// Compares integers that no common integer dtype holds by value, as NumPy does: int64 with uint64,
// and Python integers beyond the range of the other operand's dtype. Runs on the device's current
// stream. Returns a new array of `shape`, or nullopt if the usual loop is exact.
std::optional<Array> compare_exactly(Op op, std::span<const Operand> operands, const Shape& shape,
                                     Device device);

}  // namespace gpuarray::ops
