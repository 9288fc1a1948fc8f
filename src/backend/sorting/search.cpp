// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <limits>
#include <string_view>

#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/kernel_source.hpp"
#include "core/divide.hpp"
#include "core/error.hpp"
#include "kernels/sort/histogram_params.hpp"
#include "kernels/sort/search_params.hpp"
#include "kernels/tuning.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/device/device.hpp"

namespace gpuarray {
namespace {

// `plain` searches without a tree, `tree` by one, whose levels `levels` makes.
enum class SearchPart { plain, levels, tree };

struct SearchKernel {
  static constexpr size_t kCount = 3 * kDTypeCount;
  static constexpr std::string_view kNames[] = {"search", "search_levels", "search_tree"};

  SearchPart part;
  DType dtype;

  std::string name() const { return std::string(kNames[static_cast<int>(part)]); }
  int index() const { return static_cast<int>(part) * int{kDTypeCount} + static_cast<int>(dtype); }
  BuiltKernel built() const { return {"search", name() + "_" + source::identifier(dtype)}; }
  std::string text() const {
    return source::kernel(source::include("sort/search_tree.cuh"), source::by_value("SearchParams"),
                          name() + "_kernel<" + source::cpp_type(dtype) + ">(params)",
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

// Launches a part of a search for so many threads, or as many as loop over them well.
void launch_search(SearchPart part, SearchParams& params, int64_t threads, const SearchPlan& plan,
                   const StreamPtr& stream) {
  const int64_t blocks = std::min(
      divide_up(threads, kSearchBlock),
      int64_t{properties(stream->device()).multiprocessors} * kSearchBlocksPerMultiprocessor);
  void* arguments[] = {&params};
  launch(search_kernels.find({part, plan.dtype}, stream->device()),
         LaunchShape::linear(blocks, kSearchBlock), arguments, *stream,
         {"searchsorted", plan.dtype, *plan.shape});
}

// Makes the levels of the tree and searches by it. Nodes hold `node` elements each. Throws
// OutOfMemory, with nothing queued.
void search_by_tree(SearchParams params, int64_t node, int64_t most_pivots, const SearchPlan& plan,
                    const StreamPtr& stream) {
  params.stretch = node;
  for (; divide_up(params.length, params.stretch) > most_pivots; params.stretch *= node)
    ++params.depth;
  const int64_t pivots = divide_up(params.length, params.stretch);
  int64_t lowest = pivots;  // keys of the lowest level
  for (int32_t level = 0; level < params.depth; ++level) params.level_keys += lowest *= node;
  BufferPtr memory;
  if (params.depth > 0) {
    memory = Buffer::allocate(params.level_keys * itemsize(plan.dtype), stream);
    params.levels = memory->data();
    launch_search(SearchPart::levels, params, lowest, plan, stream);
  }
  launch_search(SearchPart::tree, params, params.count, plan, stream);
}

}  // namespace

void cuda_search(const SearchPlan& plan, const StreamPtr& stream) {
  SearchParams params{.sorted = plan.sorted,
                      .sorter = plan.sorter,
                      .queries = plan.queries,
                      .target = plan.target,
                      .length = plan.length,
                      .count = plan.count,
                      .stretch = 0,
                      .levels = nullptr,
                      .level_keys = 0,
                      .depth = 0,
                      .right = plan.right};
  // Keys are as large as elements. Nodes are numbered by 32 bits.
  const int64_t most_pivots = kSearchBytes / itemsize(plan.dtype);
  const int64_t node = kSearchNodeBytes / itemsize(plan.dtype);
  const bool is_long = params.length > most_pivots;
  const bool is_worth_levels =
      params.count >= kSearchTreeQueries && params.count >= params.length / kSearchTreeElements;
  const bool has_few_nodes = params.length / node <= std::numeric_limits<int32_t>::max();
  if (is_long && is_worth_levels && has_few_nodes) {
    try {
      return search_by_tree(params, node, most_pivots, plan, stream);
    } catch (const OutOfMemory&) {  // the plain way needs no memory
    }
  }
  // A block with few queries would load too much to shared memory.
  const int64_t pivots = std::clamp<int64_t>(params.count, 32, most_pivots);
  params.stretch = divide_up(params.length, pivots);
  launch_search(SearchPart::plain, params, divide_up(params.count, kSearchQueries), plan, stream);
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
