// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <bit>
#include <cstddef>

#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/error_record.hpp"
#include "backend/indexed_launch.hpp"
#include "backend/indexing/indexed.hpp"
#include "backend/kernel_source.hpp"
#include "core/layout.hpp"
#include "kernels/indexing/indexed_params.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/stream/device_memory.hpp"

namespace gpuarray {

IndexAxis axis_of(const IndexedPlan& plan, const IndexedPlan::Axis& axis, int64_t step,
                  const Stream& stream) {
  return {axis.length, step, plan.mode, axis.number, plan.operation, error_record(stream.device())};
}

namespace {

// A kernel of kernels/indexing/indexed.cuh, which walks rows or any strides in words of `bytes`.
struct IndexedKernel {
  static constexpr size_t kCount = 2 * 2 * 5 * 2;

  bool gathers;  // whether it gathers or scatters; a scatter has int64 indices
  bool any;
  int bytes;
  DType index_dtype;

  int index() const {
    const int log_bytes = std::countr_zero(static_cast<uint32_t>(bytes));
    return ((gathers * 2 + any) * 5 + log_bytes) * 2 + (index_dtype == DType::int32);
  }
  BuiltKernel built() const {
    std::string name = std::string(gathers ? "gather" : "scatter") + (any ? "_any_" : "_rows_") +
                       std::to_string(bytes);
    if (gathers) name += std::string("_") + source::identifier(index_dtype);
    return {"indexed", name};
  }
  std::string text() const {
    return source::kernel(source::include("indexing/indexed.cuh"),
                          source::by_value(any ? "IndexedParams" : "IndexedRowsParams"),
                          std::string(any ? "indexed_any" : "indexed_rows") + "_kernel<" +
                              (gathers ? "Gather<" : "Scatter<") + source::word_type(bytes) +
                              ">, " + source::cpp_type(index_dtype) + ">(params)");
  }
};

// A kernel of kernels/indexing/resolve.cuh; claim and drop exist for numbers of 4 and 8 bytes.
struct ResolveKernel {
  enum Action { resolve, drop_few, claim_4, claim_8, drop_4, drop_8 };
  static constexpr size_t kCount = drop_8 + 1;

  Action action;

  int index() const { return action; }
  BuiltKernel built() const {
    static const char* const names[] = {"resolve", "drop_few", "claim_4",
                                        "claim_8", "drop_4",   "drop_8"};
    static_assert(std::size(names) == kCount);
    return {"indexed", names[action]};
  }
  std::string text() const {
    static const char* const bodies[] = {
        "resolve_kernel(params)",         "drop_few_kernel(params)",
        "claim_kernel<uint32_t>(params)", "claim_kernel<uint64_t>(params)",
        "drop_kernel<uint32_t>(params)",  "drop_kernel<uint64_t>(params)"};
    static_assert(std::size(bodies) == kCount);
    return source::kernel(source::include("indexing/resolve.cuh"),
                          source::by_value(action == resolve ? "ResolveParams" : "WinnerParams"),
                          bodies[action]);
  }
};

constinit KernelFamily<IndexedKernel> indexed_kernels;
constinit KernelFamily<ResolveKernel> resolve_kernels;

// The axes of the values along which an index changes, without those of extent 1.
struct IndexAxes {
  Shape shape;
  Dims numbers;

  explicit IndexAxes(const IndexedPlan& plan) {
    for (int axis = 0; axis < plan.shape.size(); ++axis) {
      const auto moves = [&](const IndexedPlan::Axis& each) { return each.strides[axis] != 0; };
      if (plan.shape[axis] == 1 || !std::any_of(plan.axes.begin(), plan.axes.end(), moves))
        continue;
      shape.push_back(plan.shape[axis]);
      numbers.push_back(axis);
    }
  }
  void copy(const Strides& strides, int64_t* to) const {
    for (int k = 0; k < numbers.size(); ++k) to[k] = strides[static_cast<int>(numbers[k])];
  }
};

// Queues the computation of a position for each place of `axes`, and returns their int64 buffer. A
// position is the place's offset by the strides `base`, plus each index times its entry of `steps`.
BufferPtr resolve(const IndexedPlan& plan, const IndexAxes& axes, const Strides& base,
                  const std::vector<int64_t>& steps, const StreamPtr& stream) {
  require_param_dims(axes.shape);
  ResolveParams params;
  params.size = element_count(axes.shape);
  params.ndim = axes.shape.size();
  std::copy(axes.shape.begin(), axes.shape.end(), params.shape);
  BufferPtr positions = Buffer::allocate(params.size * int64_t{sizeof(int64_t)}, stream);
  params.positions = static_cast<int64_t*>(positions->data());
  const KernelHandle kernel = resolve_kernels.find({ResolveKernel::resolve}, stream->device());
  for (size_t done = 0; done < plan.axes.size(); done += kResolveAxes) {
    params.adds = done > 0;
    params.count = static_cast<int32_t>(std::min<size_t>(kResolveAxes, plan.axes.size() - done));
    axes.copy(done > 0 ? Strides(plan.shape.size(), 0) : base, params.strides[0]);
    for (int k = 0; k < kResolveAxes; ++k) {
      const IndexedPlan::Axis& axis = plan.axes[std::min(done + k, plan.axes.size() - 1)];
      axes.copy(axis.strides, params.strides[1 + k]);
      params.index[k] = static_cast<const int64_t*>(axis.index);
      params.axes[k] = axis_of(plan, axis, steps[std::min(done + k, steps.size() - 1)], *stream);
    }
    void* arguments[] = {&params};
    launch(kernel, linear_launch(params.size, *stream), arguments, *stream,
           {plan.operation, DType::int64, axes.shape});
  }
  return positions;
}

// Returns the plan with its indices replaced by resolved positions, one for each place of `axes`,
// which are multiplied by `step`.
IndexedPlan resolved_plan(const IndexedPlan& plan, const IndexAxes& axes, const Buffer& positions,
                          int64_t step = 1) {
  IndexedPlan made = plan;
  const Strides packed = contiguous_strides(axes.shape);
  Strides strides(plan.shape.size(), 0);
  for (int k = 0; k < axes.numbers.size(); ++k) {
    const int axis = static_cast<int>(axes.numbers[k]);
    strides[axis] = packed[k];
    made.array_strides[axis] = 0;  // the positions contain it
  }
  made.mode = IndexMode::resolved;
  made.index_dtype = DType::int64;
  made.axes = {{positions.data(), strides, 0, step, 0}};
  return made;
}

// Returns the position in the array, in elements from its start, to which the indices lead.
BufferPtr places(const IndexedPlan& plan, const IndexAxes& axes, const StreamPtr& stream) {
  std::vector<int64_t> steps;
  for (const IndexedPlan::Axis& axis : plan.axes) steps.push_back(axis.step);
  return resolve(plan, axes, plan.array_strides, steps, stream);
}

// Numbers each element that the indices could mean, as if those elements lay side by side.
struct Slots {
  Strides base;
  std::vector<int64_t> steps;
  int64_t count = 1;
  bool follow_axis = true;  // whether the indices along the only indexed axis tell them apart

  Slots(const IndexedPlan& plan, const IndexAxes& axes) : base(plan.shape.size(), 0) {
    for (int64_t number : axes.numbers) {
      const int axis = static_cast<int>(number);
      if (plan.array_strides[axis] == 0) continue;
      base[axis] = count;
      count *= plan.shape[axis];
      follow_axis = false;
    }
    for (const IndexedPlan::Axis& axis : plan.axes) {
      steps.push_back(count);
      count *= axis.length;
    }
    follow_axis = follow_axis && plan.axes.size() == 1;
  }
};

// Drops all but the last of the positions with the same slot. For this the largest number of an
// index stays in `winners`, or all pairs are compared if they are few.
void keep_last(const IndexedPlan& plan, const Shape& shape, const Slots& slots,
               const Buffer& numbers, Buffer& positions, const StreamPtr& stream) {
  const int64_t size = element_count(shape);
  const LaunchLabel label{plan.operation, DType::int64, shape};
  if (size <= kIndexedFew || size <= slots.count / size * kIndexedPairs) {
    WinnerParams params{size, static_cast<const int64_t*>(numbers.data()),
                        static_cast<int64_t*>(positions.data()), nullptr};
    void* arguments[] = {&params};
    return launch(resolve_kernels.find({ResolveKernel::drop_few}, stream->device()),
                  linear_launch(size * 32, *stream), arguments, *stream, label);
  }
  const int bytes = size < UINT32_MAX ? 4 : 8;
  const BufferPtr winners = Buffer::allocate(slots.count * bytes, stream);
  fill_device(winners->data(), 0, slots.count * bytes, *stream);
  WinnerParams params{size, static_cast<const int64_t*>(numbers.data()),
                      static_cast<int64_t*>(positions.data()), winners->data()};
  void* arguments[] = {&params};
  using Kernel = ResolveKernel;
  for (const auto action : {bytes == 4 ? Kernel::claim_4 : Kernel::claim_8,
                            bytes == 4 ? Kernel::drop_4 : Kernel::drop_8})
    launch(resolve_kernels.find({action}, stream->device()), linear_launch(size, *stream),
           arguments, *stream, label);
}

// Returns the plan without the indices that a later index repeats; sets `positions` to the memory
// that it uses.
IndexedPlan without_repeats(const IndexedPlan& plan, BufferPtr& positions,
                            const StreamPtr& stream) {
  const IndexAxes axes(plan);
  const Slots slots(plan, axes);
  const BufferPtr numbers = resolve(plan, axes, slots.base, slots.steps, stream);
  positions = slots.follow_axis ? numbers : places(plan, axes, stream);
  keep_last(plan, axes.shape, slots, *numbers, *positions, stream);
  return resolved_plan(plan, axes, *positions, slots.follow_axis ? plan.axes[0].step : 1);
}

// Queues the kernel that `kernel(any, bytes)` returns, in as many launches as 32-bit numbers need.
template <class FindKernel>
void run(const IndexedPlan& plan, FindKernel&& kernel, const Stream& stream) {
  const LaunchLabel label{plan.operation, plan.dtype, plan.shape};
  const IndexAxis axis = axis_of(plan, plan.axes[0], plan.axes[0].step, stream);
  if (const std::optional<RowsPlan> rows = plan_rows(plan, true)) {
    const KernelHandle handle = kernel(false, rows->word);
    for_each_launch(*rows, axis, true, [&](IndexedRowsParams& params, int64_t blocks) {
      void* arguments[] = {&params};
      launch(handle, LaunchShape::linear(blocks, kIndexedBlock), arguments, stream, label);
    });
    return;
  }
  IndexedParams params = any_params(plan, axis);
  void* arguments[] = {&params};
  launch(kernel(true, itemsize(plan.dtype)), linear_launch(params.size, stream), arguments, stream,
         label);
}

bool needs_positions(const IndexedPlan& plan) {
  return plan.axes.size() > 1 || plan.mode == IndexMode::wrap;
}

}  // namespace

IndexedPlan plan_of_one_axis(const IndexedPlan& plan, BufferPtr& positions,
                             const StreamPtr& stream) {
  if (!needs_positions(plan)) return plan;
  const IndexAxes axes(plan);
  positions = places(plan, axes, stream);
  return resolved_plan(plan, axes, *positions);
}

void cuda_gather(const IndexedPlan& plan, const StreamPtr& stream) {
  BufferPtr positions;
  const IndexedPlan simple = plan_of_one_axis(plan, positions, stream);
  const auto kernel = [&](bool any, int bytes) {
    return indexed_kernels.find({true, any, bytes, simple.index_dtype}, stream->device());
  };
  run(simple, kernel, *stream);
}

void cuda_scatter(const IndexedPlan& plan, const StreamPtr& stream) {
  BufferPtr positions;
  if (plan.may_repeat && !needs_positions(plan) && scatter_in_buckets(plan, stream)) return;
  const IndexedPlan simple = plan.may_repeat ? without_repeats(plan, positions, stream)
                                             : plan_of_one_axis(plan, positions, stream);
  const auto kernel = [&](bool any, int bytes) {
    return indexed_kernels.find({false, any, bytes, DType::int64}, stream->device());
  };
  run(simple, kernel, *stream);
}

}  // namespace gpuarray
