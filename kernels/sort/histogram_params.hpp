// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// What the histogram kernel takes. It counts the elements of each bin, or sums their weights;
// elements in no bin are left out.
struct HistogramParams {
  const void* source;
  int64_t count;          // elements
  const double* weights;  // one for each element, or null to count elements
  void* target;           // int64, or double with weights; the kernel adds to what it holds
  int64_t bins;
  const double* edges;  // bins + 1 edges, not decreasing, or null if elements are bins' numbers
  int32_t even;         // whether the edges are at equal distances
  int32_t copies;       // copies of the bins in shared memory; 0 if they do not fit
};

// The doubles of shared memory that a block has for the bins, copies included, and for the edges.
inline constexpr int kHistogramCells = 2048;
inline constexpr int kHistogramEdges = 2048;
inline constexpr int kHistogramCopies = 32;  // at most; one for each lane of a warp

}  // namespace gpuarray
