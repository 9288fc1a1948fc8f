// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "core/dtype.hpp"
#include "core/scalar.hpp"

namespace gpuarray {

// Returns the scalar as another dtype, converted by the rules of arrays. Throws OverflowError for a
// Python integer that does not fit: "Python integer 300 out of bounds for uint8".
Scalar cast_scalar(const Scalar& scalar, DType dtype);

}  // namespace gpuarray
