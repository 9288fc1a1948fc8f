// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

namespace gpuarray {

// How an element-wise kernel walks its operands. `any` takes any strides, `flat` needs contiguous
// operands, `rows` walks row by row, `tile` reads turned operands through shared memory, and
// `merged` walks the rows of a contiguous result as one.
enum class Path : uint8_t { any, flat, rows, tile, merged };

}  // namespace gpuarray
