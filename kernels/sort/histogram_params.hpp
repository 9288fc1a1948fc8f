// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// Adds up elements, or their weights, by bins. What lies in no bin is left out.
struct HistogramParams {
  const void* source;
  int64_t count;
  const double* weights;  // null: elements are counted
  void* target;           // int64, or double with weights: begins with zeros
  int64_t bins;
  const double* edges;  // bins + 1, not decreasing; null: the elements are the bins' numbers
  int32_t even;         // edges at equal distances
  int32_t copies;       // of the bins in shared memory; 0: none
};

// Bins of a block in shared memory, copies included; beside them lie the edges.
inline constexpr int kHistogramCells = 2048;
inline constexpr int kHistogramEdges = 2048;
inline constexpr int kHistogramCopies = 32;  // one a lane

}  // namespace gpuarray
