// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The parameters of the kernels of Fourier transforms. The host includes this file too, and fills
// them.
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// Where the points of lines lie, in complex numbers: `point` from one to the next of a line, and
// `steps` along the two axes of the batch of lines, the inner one last.
struct FftLinesSide {
  void* data;
  int64_t point;
  int64_t steps[2];
};

// Transforms of lines. The target may be the source. Results are multiplied by `scale` and, if
// lines are the columns of a longer transform of `total` points (else 0), result k of column c by
// exp(-2 pi i k c / total), where c is the index along the inner axis divided by `columns`.
struct FftLinesParams {
  FftLinesSide source, target;
  int64_t outer, inner;  // lines along the axes of the batch
  int64_t total;
  int64_t columns;
  double scale;
};

// Returns how many lines a block transforms at once, of which `threads` threads share each.
GPUARRAY_HD constexpr int fft_lines_of_block(int threads, int itemsize) {
  const int lines = threads > 16 ? 8 : threads > 8 ? 16 : 32;
  return itemsize == 16 ? lines / 2 : lines;
}

}  // namespace gpuarray
