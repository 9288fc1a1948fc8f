// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What a launch of a reduction of short rows passes to its kernel by value. The host includes this
// file too, and fills it (src/backend/reduce_launch.cpp).
#pragma once

#include "kernels/reduce/reduce_params.hpp"

namespace gpuarray {

// The rows of `length` elements lie one behind the other, and so do their results. Each block takes
// `tile_rows` of them, whose bytes are a multiple of 16 and at most kShortRowsTile.
struct ShortRowsParams {
  int64_t rows;
  uint32_t length;
  uint32_t tile_rows;
  const void* source;
  void* target;
  Average average;
};

}  // namespace gpuarray
