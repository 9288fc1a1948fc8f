// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <span>

#include "core/dtype.hpp"

namespace gpuarray {

// Returns NumPy's result_type of one or more dtypes. Promotion starts from the highest kind, so
// that uint16, int16 and float32 give float32 in any order.
DType promote(std::span<const DType> dtypes);

}  // namespace gpuarray
