// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/reduce.hpp"

#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/kernel_source.hpp"
#include "backend/visit.hpp"
#include "kernels/reduce/any_source.hpp"
#include "kernels/reduce/reduce_ops.cuh"
#include "runtime/buffer/buffer.hpp"
#include "runtime/device/device.hpp"

namespace gpuarray {
namespace {

constexpr int64_t kCompileFrom = int64_t{1} << 20;  // elements that are converted

// Returns the lines that include all reducers.
std::string include_reducers() {
  return source::include("reduce/reduce_ops.cuh") + source::include("reduce/reduce_converted.cuh") +
         source::include("reduce/reduce_shuffles.cuh");
}

struct ReduceKernel {
  static constexpr size_t kCount = size_t{kReductionCount} * kDTypeCount * kDTypeCount;

  Reduction reduction;
  DType source;
  DType loop;

  int index() const {
    return (static_cast<int>(reduction) * kDTypeCount + static_cast<int>(source)) * kDTypeCount +
           static_cast<int>(loop);
  }
  BuiltKernel built() const {
    std::string symbol =
        std::string("reduce_") + info(reduction).name + "_" + source::identifier(source);
    if (source != loop) symbol += std::string("_") + source::identifier(loop);
    return {std::string("reduce_") + source::class_of(loop), symbol};
  }
  std::string text() const {
    const std::string reducer = reducer_type(reduction, source, loop);
    return source::kernel(source::include("reduce/reduce.cuh") + include_reducers(),
                          source::by_value("ReduceParams"),
                          "reduce_kernel<" + reducer + ">(params)",
                          "__launch_bounds__(kReduceBlock, reduce_resident<" + reducer + ">)");
  }
};

// A kernel that looks up the dtype of the elements and converts each to the loop's.
struct ReduceAnyKernel {
  static constexpr size_t kCount = size_t{kReductionCount} * kDTypeCount;

  Reduction reduction;
  DType loop;

  int index() const { return static_cast<int>(reduction) * kDTypeCount + static_cast<int>(loop); }
  BuiltKernel built() const {
    return {std::string("reduce_") + source::class_of(loop),
            std::string("reduce_") + info(reduction).name + "_any_" + source::identifier(loop)};
  }
  std::string text() const {
    const std::string reducer = reducer_type(reduction, loop, loop);
    return source::kernel(
        source::include("reduce/reduce_any.cuh") + include_reducers(),
        source::by_value("ReduceParams") + ", const __grid_constant__ AnySource source",
        "reduce_any_kernel<" + reducer + ">(params, source)",
        "__launch_bounds__(kReduceBlock, reduce_resident<" + reducer + ">)");
  }
};

// A kernel of short rows. None is built ahead.
struct ShortRowsKernel {
  static constexpr uint32_t kEven =
      kShortRowsKnown + 1;  // rows of any length at 16-byte boundaries
  static constexpr size_t kLengths = kEven + 1;
  static constexpr size_t kCount = ReduceKernel::kCount * kLengths;

  ReduceKernel of;
  uint32_t known_length;  // 0: that of the launch; or kEven

  size_t index() const { return static_cast<size_t>(of.index()) * kLengths + known_length; }
  BuiltKernel built() const {
    const bool even = known_length == kEven;
    return {"short_rows", of.built().symbol + "_" + (even ? "even" : std::to_string(known_length))};
  }
  std::string text() const {
    return source::kernel(
        source::include("reduce/short_rows.cuh") + include_reducers(),
        source::by_value("ShortRowsParams"),
        "short_rows_kernel<" + reducer_type(of.reduction, of.source, of.loop) + ", " +
            (known_length == kEven ? "0, true" : std::to_string(known_length)) + ">(params)",
        "__launch_bounds__(kShortRowsBlock)");
  }
};

constinit KernelFamily<ReduceKernel> kernels;
constinit KernelFamily<ReduceAnyKernel> any_kernels;
constinit KernelFamily<ShortRowsKernel> short_rows_kernels;

void launch_once(KernelHandle kernel, ReduceLaunch& reduction, void* constants,
                 const Stream& stream, const LaunchLabel& label) {
  LaunchShape shape;
  shape.grid[0] = reduction.grid;
  shape.block[0] = reduction.block;
  void* arguments[] = {&reduction.params, constants};
  launch(kernel, shape, arguments, stream, label);
}

// Queues the launch by the kernel of short rows. Returns false, with nothing queued, if there is
// none and none can be compiled.
bool launch_short_rows(const ReduceKernel& of, ShortRowsLaunch& rows, const Stream& stream,
                       const LaunchLabel& label) {
  const uint32_t length = rows.params.length;
  uint32_t known_length = 0;
  if (rows.is_aligned && length <= kShortRowsKnown)
    known_length = length;
  else if (rows.is_aligned && length * itemsize(of.source) % 16 == 0)
    known_length = ShortRowsKernel::kEven;
  const ShortRowsKernel key{of, known_length};
  const Device device = stream.device();
  const KernelHandle kernel =
      short_rows_kernels.entry(key, device).find_compiled(key, device, true);
  if (kernel.kernel == nullptr) return false;
  LaunchShape shape;
  shape.grid[0] = rows.grid;
  shape.block[0] = kShortRowsBlock;
  void* arguments[] = {&rows.params};
  launch(kernel, shape, arguments, stream, label);
  return true;
}

// Reduces elements that need a conversion, by a kernel that converts any.
void reduce_any(Reduction reduction, DType loop, const ReducePlan& plan, const StreamPtr& stream,
                const LaunchLabel& label) {
  AnySource source{plan.source, static_cast<int32_t>(plan.source_dtype)};
  ReducePlan general = plan;
  general.source = nullptr;
  launch_reduction(any_kernels.find({reduction, loop}, stream->device()),
                   plan_cuda_reduction(reduction, general, stream->device()),
                   accumulator_size(reduction, loop), &source, stream, label);
}

}  // namespace

ReduceLaunch plan_cuda_reduction(Reduction reduction, const ReducePlan& plan, Device device) {
  const bool spread = info(reduction).result == ReductionResult::REAL;
  return plan_reduction(plan, itemsize(plan.source_dtype), properties(device).multiprocessors,
                        spread);
}

int64_t accumulator_size(Reduction reduction, DType loop) {
  return visit_dtype(loop, [&]<class T>() -> int64_t {
    switch (reduction) {
#define GPUARRAY_REDUCTION(name, ...) \
  case Reduction::name:               \
    return sizeof(typename name##_reducer<T>::accumulator);
#include "kernels/reductions.def"
    }
    return 0;
  });
}

std::string reducer_type(Reduction reduction, DType source, DType loop) {
  std::string types = source::cpp_type(source);
  if (!has_direct_reduction(reduction, source, loop))
    return "converted_reducer<" + types + ", " + reducer_type(reduction, loop, loop) + ">";
  if (source != loop) types += std::string(", ") + source::cpp_type(loop);
  return std::string(info(reduction).name) + "_reducer<" + types + ">";
}

void launch_reduction(KernelHandle kernel, ReduceLaunch first, int64_t accumulator_size,
                      void* constants, const StreamPtr& stream, const LaunchLabel& label) {
  if (first.params.chunks == 1) return launch_once(kernel, first, constants, *stream, label);
  BufferPtr partials =
      Buffer::allocate(first.params.outputs * first.params.chunks * accumulator_size, stream);
  first.params.partials = partials->data();
  launch_once(kernel, first, constants, *stream, label);
  ReduceLaunch last = plan_finish(first);
  launch_once(kernel, last, constants, *stream, label);
}

void cuda_reduce(Reduction reduction, DType loop, const ReducePlan& plan, const StreamPtr& stream) {
  const ReduceKernel key{loops_of(reduction), plan.source_dtype, loop};
  const LaunchLabel label{info(reduction).name, plan.source_dtype, *plan.source_shape};
  const ReduceLaunch launch = plan_cuda_reduction(reduction, plan, stream->device());
  auto rows = plan_short_rows(launch, itemsize(plan.source_dtype));
  if (rows && launch_short_rows(key, *rows, *stream, label)) return;
  KernelHandle kernel;
  if (has_direct_reduction(reduction, plan.source_dtype, loop))
    kernel = kernels.find(key, stream->device());
  else
    kernel = kernels.entry(key, stream->device())
                 .find_compiled(key, stream->device(),
                                launch.params.outputs * launch.params.count >= kCompileFrom);
  if (kernel.kernel == nullptr) return reduce_any(key.reduction, loop, plan, stream, label);
  launch_reduction(kernel, launch, accumulator_size(reduction, loop), nullptr, stream, label);
}

}  // namespace gpuarray
