// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

namespace gpuarray {

// How an element-wise kernel walks its operands: over any strides, as contiguous arrays, row by
// row, or by tiles.
enum class Path : uint8_t { any, flat, rows, tile };

}  // namespace gpuarray
