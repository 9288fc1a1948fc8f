// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What a launch of a scan passes to its kernel, by value. Shared with the host, which fills it
// (src/backend/scan_launch.cpp).
#pragma once

#include "kernels/elementwise/params.hpp"

namespace gpuarray {

enum class ScanPath : int32_t {
  rows,            // threads along the scanned axis
  columns,         // threads over 16 bytes each of the innermost kept axis, which is contiguous
  single_columns,  // over one element each of it
};

// 8-byte words in which a slot of the state holds a value of `bytes` (kernels/scan/scan_state.cuh).
GPUARRAY_HD constexpr int slot_words(int bytes) { return (bytes + 3) / 4; }

// A row is what is scanned: `length` elements for each index of the kept axes. It is cut into
// `tiles`; block b takes tile b / row_blocks of the rows that b % row_blocks stands for. On `rows`
// `lanes` threads take a row; on `columns` the innermost kept axis is `columns` long, in
// `column_blocks` of a block each. With several tiles `state`, of zeros, is where they meet.
struct ScanParams {
  int64_t length;
  int64_t rows;  // on columns those of the outer kept axes
  int64_t columns;
  uint32_t tiles;
  uint32_t row_blocks;
  uint32_t column_blocks;
  uint32_t lanes;  // a power of two
  uint32_t
      vectors;  // bit 0: the source is read 16 bytes at a time; bit 1: the target is written so
  int32_t kept_ndim;
  int64_t source_step;  // along the scanned axis, elements
  int64_t target_step;
  const void* source;
  void* target;
  uint64_t* state;
  int64_t kept_shape[kParamDims];
  int64_t kept_strides[2][kParamDims];  // of the source and the target, elements
};

}  // namespace gpuarray
