// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/search.hpp"

#include <algorithm>

#include "backend/cuda/kernel_table.hpp"
#include "kernels/tuning.hpp"
#include "runtime/device/device.hpp"

namespace gpuarray {
namespace {

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

void cuda_search(DType dtype, SearchParams params, const Shape& shape, const StreamPtr& stream) {
  // Keys are as large as elements. A block that has few queries would keep too much.
  const int64_t tile = int64_t{kSearchBlock} * kSearchQueries;
  const int64_t tiles = divide_up(params.count, tile);
  const int64_t most = kSearchBytes / itemsize(dtype);
  const int64_t pivots = std::clamp<int64_t>(params.count, 32, most);
  params.stretch = divide_up(params.length, pivots);
  const int64_t blocks = std::min(tiles, int64_t{properties(stream->device()).multiprocessors} *
                                             kSearchBlocksPerMultiprocessor);
  void* arguments[] = {&params};
  launch(search_kernel(dtype, stream->device()), LaunchShape::linear(blocks, kSearchBlock),
         arguments, *stream, {"searchsorted", dtype, shape});
}

void cuda_histogram(DType dtype, HistogramParams params, const Shape& shape,
                    const StreamPtr& stream) {
  const int64_t cells = params.weights != nullptr ? kHistogramCells : 2 * kHistogramCells;
  params.copies = static_cast<int32_t>(std::min<int64_t>(kHistogramCopies, cells / params.bins));
  const int64_t blocks = std::min(
      divide_up(params.count, int64_t{kHistogramBlock} * kHistogramItems),
      int64_t{properties(stream->device()).multiprocessors} * kHistogramBlocksPerMultiprocessor);
  void* arguments[] = {&params};
  launch(histogram_kernel(dtype, stream->device()), LaunchShape::linear(blocks, kHistogramBlock),
         arguments, *stream, {"histogram", dtype, shape});
}

}  // namespace gpuarray
