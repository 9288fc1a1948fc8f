// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/search.hpp"

#include <algorithm>

#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/kernel_source.hpp"
#include "core/divide.hpp"
#include "kernels/sort/histogram_params.hpp"
#include "kernels/sort/search_params.hpp"
#include "kernels/tuning.hpp"
#include "runtime/device/device.hpp"

namespace gpuarray {
namespace {

struct SearchKernel {
  static constexpr size_t kCount = kDTypeCount;

  DType dtype;

  int index() const { return static_cast<int>(dtype); }
  BuiltKernel built() const {
    return {"search", std::string("search_") + source::identifier(dtype)};
  }
  std::string text() const {
    return source::kernel(source::include("sort/search.cuh"), source::by_value("SearchParams"),
                          std::string("search_kernel<") + source::cpp_type(dtype) + ">(params)",
                          "__launch_bounds__(kSearchBlock)");
  }
};

// The kernel of histograms, which is built ahead for integers and floats.
struct HistogramKernel {
  static constexpr size_t kCount = kDTypeCount;

  DType dtype;

  int index() const { return static_cast<int>(dtype); }
  BuiltKernel built() const {
    return {"search", std::string("histogram_") + source::identifier(dtype)};
  }
  std::string text() const {
    return source::kernel(source::include("sort/histogram.cuh"),
                          source::by_value("HistogramParams"),
                          std::string("histogram_kernel<") + source::cpp_type(dtype) + ">(params)",
                          "__launch_bounds__(kHistogramBlock)");
  }
};

constinit KernelFamily<SearchKernel> search_kernels;
constinit KernelFamily<HistogramKernel> histogram_kernels;

}  // namespace

void cuda_search(const SearchPlan& plan, const StreamPtr& stream) {
  const DType dtype = plan.dtype;
  SearchParams params{.sorted = plan.sorted,
                      .sorter = plan.sorter,
                      .queries = plan.queries,
                      .target = plan.target,
                      .length = plan.length,
                      .count = plan.count,
                      .stretch = 0,
                      .right = plan.right};
  // Keys are as large as elements. A block with few queries would load too much to shared memory.
  const int64_t tile = int64_t{kSearchBlock} * kSearchQueries;
  const int64_t tiles = divide_up(params.count, tile);
  const int64_t most = kSearchBytes / itemsize(dtype);
  const int64_t pivots = std::clamp<int64_t>(params.count, 32, most);
  params.stretch = divide_up(params.length, pivots);
  const int64_t blocks = std::min(tiles, int64_t{properties(stream->device()).multiprocessors} *
                                             kSearchBlocksPerMultiprocessor);
  void* arguments[] = {&params};
  launch(search_kernels.find({dtype}, stream->device()), LaunchShape::linear(blocks, kSearchBlock),
         arguments, *stream, {"searchsorted", dtype, *plan.shape});
}

void cuda_histogram(const HistogramPlan& plan, const StreamPtr& stream) {
  const DType dtype = plan.dtype;
  HistogramParams params{.source = plan.source,
                         .count = plan.count,
                         .weights = plan.weights,
                         .target = plan.target,
                         .bins = plan.bins,
                         .edges = plan.edges,
                         .even = plan.even,
                         .copies = 0};
  const int64_t cells = params.weights != nullptr ? kHistogramCells : 2 * kHistogramCells;
  params.copies = static_cast<int32_t>(std::min<int64_t>(kHistogramCopies, cells / params.bins));
  const int64_t blocks = std::min(
      divide_up(params.count, int64_t{kHistogramBlock} * kHistogramItems),
      int64_t{properties(stream->device()).multiprocessors} * kHistogramBlocksPerMultiprocessor);
  void* arguments[] = {&params};
  launch(histogram_kernels.find({dtype}, stream->device()),
         LaunchShape::linear(blocks, kHistogramBlock), arguments, *stream,
         {"histogram", dtype, *plan.shape});
}

}  // namespace gpuarray
