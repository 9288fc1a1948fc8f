// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/indexed_launch.hpp"
#include "backend/indexing/indexed.hpp"
#include "backend/kernel_source.hpp"
#include "core/divide.hpp"
#include "kernels/indexing/indexed_params.hpp"
#include "runtime/stream/device_memory.hpp"

namespace gpuarray {
namespace {

// A kernel of kernels/indexing/combine_rows.cuh, or one for any strides; indices are int64.
struct CombineKernel {
  static constexpr size_t kCount = size_t{2} * kOpCount * kDTypeCount;

  bool any;
  Op op;
  DType dtype;

  int index() const {
    return (any * kOpCount + static_cast<int>(op)) * kDTypeCount + static_cast<int>(dtype);
  }
  BuiltKernel built() const {
    return {"combine_at", std::string(any ? "at_any_" : "at_rows_") + info(op).name + "_" +
                              source::identifier(dtype)};
  }
  std::string text() const {
    const std::string types =
        std::string(info(op).name) + "_functor, " + source::cpp_type(dtype) + ">";
    return source::kernel(source::include("indexing/combine_rows.cuh"),
                          source::by_value(any ? "IndexedParams" : "CombineRowsParams"),
                          any ? "indexed_any_kernel<Combine<" + types + ", int64_t>(params)"
                              : "combine_rows_kernel<" + types + "(params)");
  }
};

// A kernel of kernels/indexing/combine_buckets.cuh; move exists for values of 4 and 8 bytes.
struct MoveKernel {
  enum Action { sample, count, move_4, move_8 };
  static constexpr size_t kCount = move_8 + 1;

  Action action;

  int index() const { return action; }
  BuiltKernel built() const {
    static const char* const names[] = {"combine_sample", "combine_count", "combine_move_4",
                                        "combine_move_8"};
    static_assert(std::size(names) == kCount);
    return {"combine_at", names[action]};
  }
  std::string text() const {
    static const char* const bodies[] = {
        "combine_sample_kernel(params)", "combine_count_kernel(params)",
        "combine_move_kernel<uint32_t>(params)", "combine_move_kernel<uint64_t>(params)"};
    static_assert(std::size(bodies) == kCount);
    return source::kernel(source::include("indexing/combine_buckets.cuh"),
                          source::by_value("CombineBucketsParams"), bodies[action]);
  }
};

constinit KernelFamily<CombineKernel> combine_kernels;
constinit KernelFamily<MoveKernel> move_kernels;

// Returns the blocks of a launch of combine_rows, and says in `params` whether they have tables.
int64_t combine_blocks(CombineRowsParams& params, const Stream& stream) {
  const int64_t tiles = divide_up(params.size, kIndexedBlock * kCombineRounds);
  params.partials = params.size >= kCombineFewest;
  if (!params.partials) return tiles;
  return std::min(tiles / kCombineTiles, int64_t{properties(stream.device()).multiprocessors} *
                                             kCombineBlocksPerMultiprocessor);
}

// Returns whether indices may be so far apart that it pays to move them to buckets.
bool may_spread(const RowsPlan& rows, const CombineRowsParams& params) {
  return params.size >= kMoveFewest && rows.row == 1 && rows.planes == 1 && rows.value_step == 1 &&
         (rows.word == 4 || rows.word == 8) && params.axis.length * rows.word >= kMoveArray &&
         params.axis.length < kBucketNowhere;
}

// Queues the kernels that move indices and values to buckets if they find it to pay. What they
// leave is noted in `params`, for the kernel that combines; it lies in the returned memory.
std::vector<BufferPtr> move_to_buckets(CombineRowsParams& params, int bytes,
                                       const LaunchLabel& label, const StreamPtr& stream) {
  std::vector<BufferPtr> kept;
  const auto allocate = [&](int64_t nbytes) {
    kept.push_back(Buffer::allocate(nbytes, stream));
    return kept.back()->data();
  };
  CombineBucketsParams move;
  move.axis = params.axis;
  move.axis.stride = 1;
  move.size = params.size;
  move.bucket_shift = std::bit_width(static_cast<uint64_t>(move.axis.length - 1)) -
                      std::countr_zero(static_cast<uint32_t>(kMoveBuckets));
  move.index = static_cast<const int64_t*>(params.index);
  move.values = params.values;
  move.state = static_cast<CombineState*>(allocate(sizeof(CombineState)));
  move.moved_positions = static_cast<uint32_t*>(allocate(int64_t{params.size} * 4));
  move.moved_values = allocate(int64_t{params.size} * bytes);
  fill_device(move.state, 0, sizeof(CombineState), *stream);
  const int64_t most =
      int64_t{properties(stream->device()).multiprocessors} * kMoveBlocksPerMultiprocessor;
  const auto run = [&](MoveKernel::Action action, int64_t blocks) {
    void* arguments[] = {&move};
    launch(move_kernels.find({action}, stream->device()),
           LaunchShape::linear(std::min(blocks, most), kMoveBlock), arguments, *stream, label);
  };
  run(MoveKernel::sample, 1);
  run(MoveKernel::count, divide_up(params.size, kMoveBlock));
  run(bytes == 4 ? MoveKernel::move_4 : MoveKernel::move_8, divide_up(params.size, kMoveBlock));
  params.state = move.state;
  params.moved_positions = move.moved_positions;
  params.moved_values = move.moved_values;
  return kept;
}

}  // namespace

void cuda_combine(Op op, const IndexedPlan& plan, const StreamPtr& stream) {
  BufferPtr positions;
  const IndexedPlan simple = plan_of_one_axis(plan, positions, stream);
  const LaunchLabel label{plan.operation, plan.dtype, plan.shape};
  const IndexAxis axis = axis_of(simple, simple.axes[0], simple.axes[0].step, *stream);
  const std::optional<RowsPlan> rows = plan_rows(simple, false);
  const KernelHandle kernel = combine_kernels.find({!rows, op, plan.dtype}, stream->device());
  if (!rows) {
    IndexedParams params = any_params(simple, axis);
    void* arguments[] = {&params};
    launch(kernel, linear_launch(params.size, *stream), arguments, *stream, label);
    return;
  }
  for_each_launch(*rows, axis, false, [&](const IndexedRowsParams& part, int64_t) {
    CombineRowsParams params{part, 0, nullptr, nullptr, nullptr};
    const int64_t blocks = combine_blocks(params, *stream);
    std::vector<BufferPtr> moved;
    if (may_spread(*rows, params)) moved = move_to_buckets(params, rows->word, label, stream);
    void* arguments[] = {&params};
    launch(kernel, LaunchShape::linear(blocks, kIndexedBlock), arguments, *stream, label);
  });
}

}  // namespace gpuarray
