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
#include "core/error.hpp"
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

// A kernel of kernels/indexing/combine_moves.cuh; those that move exist for 4 and 8 bytes.
struct MoveKernel {
  enum Action {
    sample,
    count_groups,
    count_parts,
    group_begins,
    part_begins,
    to_groups_4,
    to_groups_8,
    to_parts_4,
    to_parts_8
  };
  static constexpr size_t kCount = to_parts_8 + 1;

  Action action;

  int index() const { return action; }
  BuiltKernel built() const { return {"combine_at", of().symbol}; }
  std::string text() const {
    return source::kernel(source::include("indexing/combine_moves.cuh"),
                          source::by_value("CombineMovesParams"), of().call);
  }

 private:
  struct Name {
    const char* symbol;
    const char* call;
  };
  const Name& of() const {
    static const Name names[] = {
        {"combine_sample", "combine_sample_kernel(params)"},
        {"combine_count_groups", "combine_count_groups_kernel(params)"},
        {"combine_count_parts", "combine_count_parts_kernel(params)"},
        {"combine_begins_false", "combine_begins_kernel<false>(params)"},
        {"combine_begins_true", "combine_begins_kernel<true>(params)"},
        {"combine_to_groups_4", "combine_to_groups_kernel<uint32_t>(params)"},
        {"combine_to_groups_8", "combine_to_groups_kernel<uint64_t>(params)"},
        {"combine_to_parts_4", "combine_to_parts_kernel<uint32_t>(params)"},
        {"combine_to_parts_8", "combine_to_parts_kernel<uint64_t>(params)"}};
    static_assert(std::size(names) == kCount);
    return names[action];
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

// Whether values of this operation may be combined with each other first (has_partials of
// kernels/indexing/combine_rows.cuh).
bool has_partials(Op op, DType dtype) {
  switch (op) {
    case Op::add:
      return dtype != DType::float16 && dtype != DType::bfloat16;
    case Op::bitwise_and:
    case Op::bitwise_or:
    case Op::bitwise_xor:
      return true;
    case Op::maximum:
    case Op::minimum:
      return !is_complex(dtype);
    default:
      return false;
  }
}

// Returns whether indices may be so far apart that it pays to move them to parts of the array.
bool may_spread(const RowsPlan& rows, const CombineRowsParams& params) {
  constexpr int64_t kMost = int64_t{kMoveGroups} * kMoveGroups * kPartBytes;
  const int64_t nbytes = params.axis.length * rows.word;
  return params.size >= kMoveFewest && rows.row == 1 && rows.planes == 1 && rows.array_step == 0 &&
         rows.value_step == 1 && params.axis.stride != 0 &&  // no two parts share an element
         (rows.word == 4 || rows.word == 8) && nbytes >= kMoveArray && nbytes <= kMost;
}

// Queues the kernels that move indices and values to parts if they find it to pay. What they leave
// is noted in `params`, for the kernel that combines; it lies in the returned memory. Throws
// OutOfMemory, with nothing queued.
std::vector<BufferPtr> move_to_parts(CombineRowsParams& params, int bytes, const LaunchLabel& label,
                                     const StreamPtr& stream) {
  std::vector<BufferPtr> kept;
  const auto allocate = [&](int64_t nbytes) {
    kept.push_back(Buffer::allocate(nbytes, stream));
    return kept.back()->data();
  };
  CombineMovesParams move;
  move.axis = params.axis;
  move.axis.stride = 1;
  move.size = params.size;
  move.part_shift = std::countr_zero(static_cast<uint32_t>(kPartBytes / bytes));
  move.index = static_cast<const int64_t*>(params.index);
  move.values = params.values;
  move.state = static_cast<CombineState*>(allocate(sizeof(CombineState)));
  for (int k = 0; k < 2; ++k) {
    move.moved_positions[k] = static_cast<uint32_t*>(allocate(int64_t{params.size} * 4));
    move.moved_values[k] = allocate(int64_t{params.size} * bytes);
  }
  fill_device(move.state, 0, sizeof(CombineState), *stream);
  const auto run = [&](MoveKernel::Action action, int64_t blocks) {
    void* arguments[] = {&move};
    launch(move_kernels.find({action}, stream->device()), LaunchShape::linear(blocks, kMoveBlock),
           arguments, *stream, label);
  };
  const int64_t most =
      int64_t{properties(stream->device()).multiprocessors} * kMoveBlocksPerMultiprocessor;
  const int64_t blocks = std::min(divide_up(params.size, kMoveBlock), most);
  run(MoveKernel::sample, 1);
  run(MoveKernel::count_groups, blocks);
  run(MoveKernel::group_begins, 1);
  run(bytes == 4 ? MoveKernel::to_groups_4 : MoveKernel::to_groups_8, blocks);
  run(MoveKernel::count_parts, blocks);
  run(MoveKernel::part_begins, kMoveGroups);
  run(bytes == 4 ? MoveKernel::to_parts_4 : MoveKernel::to_parts_8, blocks);
  params.state = move.state;
  params.moved_positions = move.moved_positions[1];
  params.moved_values = move.moved_values[1];
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
    if (has_partials(op, plan.dtype) && may_spread(*rows, params)) {
      try {
        moved = move_to_parts(params, rows->word, label, stream);
      } catch (const OutOfMemory&) {  // they are combined where they are
      }
    }
    void* arguments[] = {&params};
    launch(kernel, LaunchShape::linear(blocks, kIndexedBlock), arguments, *stream, label);
  });
}

}  // namespace gpuarray
