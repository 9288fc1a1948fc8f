// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>

#include "backend/sorting/sort.hpp"
#include "core/divide.hpp"
#include "kernels/sort/sort_params.hpp"
#include "kernels/tuning.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/device/device.hpp"
#include "runtime/stream/device_memory.hpp"

namespace gpuarray {
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
