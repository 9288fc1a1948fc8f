// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <span>

#include "core/dtype.hpp"

namespace gpuarray {

// NumPy's result_type of several dtypes, one at least: the highest kind comes first, so that
// uint16, int16 and float32 give float32 in any order.
DType promote(std::span<const DType> dtypes);

}  // namespace gpuarray
