// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What a launch of a scan passes to its kernel by value. The host includes this file too, and fills
// it (src/backend/scan_launch.cpp).
#pragma once

#include "kernels/element/element.cuh"
#include "kernels/element/param_dims.hpp"

namespace gpuarray {

// Says how the threads of a scan lie over the source.
enum class ScanPath : int32_t {
  rows,            // threads along the scanned axis
  columns,         // threads along the innermost kept axis, contiguous, a vector each
  single_columns,  // the same with one element each
};

// Returns the number of 8-byte words in which a slot of the state holds a value of `bytes` bytes
// (kernels/scan/scan_state.cuh).
GPUARRAY_HD constexpr int slot_words(int bytes) { return (bytes + 3) / 4; }

// A scan runs along rows: `length` elements for each index of the kept axes. Rows are cut into
// `tiles`, and block b takes tile b / row_blocks of group b % row_blocks of rows. On path `rows`,
// `lanes` threads take a row. On the paths of columns, the innermost kept axis is `columns` long
// and takes `column_blocks` blocks. Blocks of several tiles exchange totals through `state`, which
// must be zeros at first.
struct ScanParams {
  int64_t length;
  int64_t rows;  // on the paths of columns: indices of the outer kept axes
  int64_t columns;
  uint32_t tiles;
  uint32_t row_blocks;
  uint32_t column_blocks;
  uint32_t lanes;  // a power of two
  // Bit 0 is set if the source is read by vectors (scan_items), bit 1 if the target is written so.
  uint32_t vectors;
  int32_t kept_ndim;
  int64_t source_step;  // along the scanned axis, elements
  int64_t target_step;
  const void* source;
  void* target;
  uint64_t* state;
  int64_t kept_shape[kParamDims];
  int64_t kept_strides[2][kParamDims];  // of the source and the target; elements
};

}  // namespace gpuarray
