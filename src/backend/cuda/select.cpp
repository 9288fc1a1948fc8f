// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <bit>

#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/cuda/sort.hpp"
#include "backend/kernel_source.hpp"
#include "core/divide.hpp"
#include "core/layout.hpp"
#include "kernels/indexing/select_params.hpp"
#include "kernels/sort/sort_params.hpp"
#include "kernels/tuning.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/device/device.hpp"
#include "runtime/stream/device_memory.hpp"

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

LaunchShape select_launch(int64_t size) {
  constexpr int64_t kWarps = kSelectBlock / 32;
  return LaunchShape::linear(divide_up(mask_tiles(size), kWarps), kSelectBlock);
}

bool is_aligned(const void* data) { return reinterpret_cast<uintptr_t>(data) % 16 == 0; }

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

SortKernel runs_kernel(DType dtype) {
  using enum SortKernel;
  if (dtype == DType::complex64) return runs_complex64;
  if (dtype == DType::complex128) return runs_complex128;
  return kernel_for(dtype, runs_8, runs_16, runs_32, runs_64);
}

}  // namespace

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

void cuda_count_runs(const RunsPlan& plan, const StreamPtr& stream) {
  const int64_t tiles = mask_tiles(plan.size);
  const BufferPtr counts = Buffer::allocate(tiles * int64_t{sizeof(int32_t)}, stream);
  SortRuns params{
      .sorted = plan.sorted,
      .firsts = plan.firsts,
      .flags = plan.found.flags,
      .counts = static_cast<int32_t*>(counts->data()),
      .count = plan.size,
      .kind = key_kind(plan.dtype),
      .infinity = key_infinity(plan.dtype),
      .splits_nan = !plan.equal_nan && (kind(plan.dtype) == 'f' || kind(plan.dtype) == 'c'),
      .vectors = is_aligned(plan.sorted)};
  void* arguments[] = {&params};
  launch(sort_kernel(runs_kernel(plan.dtype), stream->device()), select_launch(plan.size),
         arguments, *stream, {"unique", plan.dtype, Shape{plan.size}});
  sum_tiles(*counts, tiles, plan.found.sums, stream);
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

namespace {

// Selects by a sequence of launches, and owns the memory between them.
class RowSelection {
 public:
  RowSelection(const RankPlan& plan, const StreamPtr& stream)
      : plan_(plan), stream_(stream), rows_(plan.count / plan.length) {
    params_.source = plan.source;
    params_.length = plan.length;
    params_.rank = plan.rank;
    params_.kind = key_kind(plan.dtype);
    params_.infinity = key_infinity(plan.dtype);
    params_.descending = plan.descending;
    params_.values = plan.values;
    params_.positions = plan.positions;
    params_.kept = plan.kept;
    share_rows();
    allocate();
  }

  void run() {
    using enum SortKernel;
    const int bits = 8 * itemsize(plan_.dtype);
    for (int left = bits; left > 0; left = params_.shift) {
      params_.bits = static_cast<int32_t>(divide_up(left, divide_up(left, kSelectDigit)));
      params_.shift = left - params_.bits;
      params_.found_digits = left < bits ? ~uint64_t{0} << left : 0;
      launch_one(kernel_for(plan_.dtype, select_digit_8, select_digit_16, select_digit_32,
                            select_digit_64));
    }
    launch_one(
        kernel_for(plan_.dtype, select_count_8, select_count_16, select_count_32, select_count_64));
    launch_one(
        kernel_for(plan_.dtype, select_split_8, select_split_16, select_split_32, select_split_64));
  }

 private:
  static constexpr int64_t kWarps = kSelectRowsBlock / 32;

  // Chooses how many blocks share a row: no more than fill the device, and all with enough to do.
  void share_rows() {
    const int64_t blocks =
        int64_t{properties(stream_->device()).multiprocessors} * kSelectRowsBlocksPerMultiprocessor;
    const int64_t row_blocks = std::clamp<int64_t>(divide_up(blocks, rows_), 1,
                                                   divide_up(plan_.length, kSelectRowsElements));
    params_.row_blocks = static_cast<int32_t>(row_blocks);
    params_.stretch = round_up(divide_up(plan_.length, row_blocks * kWarps), 32);
  }

  void allocate() {
    const int64_t zeros =
        rows_ * int64_t{sizeof(SelectBound) + kSelectBins * sizeof(*params_.bins)};
    const int64_t counts = rows_ * params_.row_blocks * kWarps * int64_t{sizeof(*params_.counts)};
    memory_ = Buffer::allocate(zeros + counts, stream_);
    fill_device(memory_->data(), 0, zeros, *stream_);
    params_.bounds = static_cast<SelectBound*>(memory_->data());
    params_.bins = reinterpret_cast<uint32_t*>(params_.bounds + rows_);
    params_.counts = reinterpret_cast<uint64_t*>(params_.bins + rows_ * kSelectBins);
  }

  void launch_one(SortKernel which) {
    void* arguments[] = {&params_};
    launch(sort_kernel(which, stream_->device()),
           LaunchShape::linear(rows_ * params_.row_blocks, kSelectRowsBlock), arguments, *stream_,
           {"select", plan_.dtype, *plan_.shape});
  }

  const RankPlan& plan_;
  const StreamPtr& stream_;
  const int64_t rows_;
  SelectRows params_{};
  BufferPtr memory_;
};

}  // namespace

bool cuda_may_select_rows(DType dtype, int64_t length, int64_t kept) {
  // A sort writes bools anew, of which any byte but 0 is true.
  return kind(dtype) != 'c' && dtype != DType::bool_ && length >= kSelectRowsLength &&
         length <= 0xffffffff && (kept == length || kept <= length / kSelectRowsRatio);
}

void cuda_select_rows(const RankPlan& plan, const StreamPtr& stream) {
  RowSelection(plan, stream).run();
}

}  // namespace gpuarray
