// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <bit>

#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/kernel_source.hpp"
#include "core/divide.hpp"
#include "core/layout.hpp"
#include "kernels/indexing/select_params.hpp"
#include "kernels/tuning.hpp"
#include "runtime/buffer/buffer.hpp"

namespace gpuarray {
namespace {

// A kernel of kernels/indexing/select.cuh; select and spread exist for each size of a word.
struct SelectKernel {
  enum Action { count_tiles, select, spread, nonzero };
  static constexpr size_t kCount = 4 * 5;

  Action action;
  int bytes = 1;

  int index() const { return action * 5 + std::countr_zero(static_cast<uint32_t>(bytes)); }
  bool moves() const { return action == select || action == spread; }
  std::string name() const {
    static const char* const names[] = {"count_tiles", "select", "spread", "nonzero"};
    return names[action];
  }
  BuiltKernel built() const {
    return {"select", moves() ? name() + "_" + std::to_string(bytes) : name()};
  }
  std::string text() const {
    const std::string word = moves() ? "<" + source::word_type(bytes) + ">" : "";
    return source::kernel(source::include("indexing/select.cuh"),
                          source::by_value(action == nonzero ? "NonzeroParams" : "SelectParams"),
                          name() + "_kernel" + word + "(params)",
                          "__launch_bounds__(kSelectBlock, kSelectResidentBlocks)");
  }
};

constinit KernelFamily<SelectKernel> kernels;

}  // namespace

LaunchShape select_launch(int64_t size) {
  constexpr int64_t kWarps = kSelectBlock / 32;
  return LaunchShape::linear(divide_up(mask_tiles(size), kWarps), kSelectBlock);
}

void sum_tiles(const Buffer& counts, int64_t tiles, int64_t* sums, const StreamPtr& stream) {
  ScanPlan plan;
  const Shape shape{tiles};
  plan.source_dtype = DType::int32;
  plan.source_shape = &shape;
  plan.length = tiles;
  plan.source = counts.data();
  plan.target = sums;
  plan.source_step = plan.target_step = 1;
  cuda_scan(Scan::add, DType::int64, plan, stream);
}

void cuda_count_true(const bool* mask, int64_t size, const MaskFlags& found,
                     const StreamPtr& stream) {
  const int64_t tiles = mask_tiles(size);
  const BufferPtr counts = Buffer::allocate(tiles * int64_t{sizeof(int32_t)}, stream);
  SelectParams params{};
  params.size = size;
  params.vectors = is_aligned(mask);
  params.mask = mask;
  params.flags = found.flags;
  params.counts = static_cast<int32_t*>(counts->data());
  void* arguments[] = {&params};
  launch(kernels.find({SelectKernel::count_tiles}, stream->device()), select_launch(size),
         arguments, *stream, {"count_true", DType::bool_, Shape{size}});
  sum_tiles(*counts, tiles, found.sums, stream);
}

namespace {

void move(SelectKernel::Action action, const char* operation, const SelectPlan& plan,
          const Stream& stream) {
  SelectParams params{};
  params.size = plan.size;
  params.vectors = is_aligned(plan.array);
  params.flags = plan.found.flags;
  params.sums = plan.found.sums;
  params.array = plan.array;
  params.packed = plan.packed;
  void* arguments[] = {&params};
  launch(kernels.find({action, itemsize(plan.dtype)}, stream.device()), select_launch(plan.size),
         arguments, stream, {operation, plan.dtype, Shape{plan.size}});
}

}  // namespace

void cuda_select(const SelectPlan& plan, const Stream& stream) {
  move(SelectKernel::select, "indexing", plan, stream);
}

void cuda_spread(const SelectPlan& plan, const Stream& stream) {
  move(SelectKernel::spread, "assignment", plan, stream);
}

void cuda_nonzero(const NonzeroPlan& plan, const Stream& stream) {
  NonzeroParams params{};
  params.size = element_count(plan.shape);
  params.ndim = plan.shape.size();
  std::copy(plan.shape.begin(), plan.shape.end(), params.shape);
  params.pitch = plan.count;
  params.flags = plan.found.flags;
  params.sums = plan.found.sums;
  params.indices = plan.indices;
  void* arguments[] = {&params};
  launch(kernels.find({SelectKernel::nonzero}, stream.device()), select_launch(params.size),
         arguments, stream, {"nonzero", DType::bool_, plan.shape});
}

}  // namespace gpuarray
