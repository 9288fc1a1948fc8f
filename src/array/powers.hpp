// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "core/op.hpp"

namespace gpuarray::ops {

// An exponent whose powers another operation computes, if one exponent serves all elements of a
// loop of inexact numbers. NumPy's loops know the same exponents.
struct Power {
  double exponent;
  Op op;
};
inline constexpr Power kPowers[] = {
    {2, Op::square}, {0.5, Op::sqrt}, {-1, Op::reciprocal}, {1, Op::positive}};

}  // namespace gpuarray::ops
