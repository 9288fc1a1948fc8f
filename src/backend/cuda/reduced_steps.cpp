// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Reductions that compute what they reduce by the steps that would have stored it.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/cuda/expression.hpp"
#include "backend/cuda/known_steps.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/cuda/reduce.hpp"
#include "backend/expression_source.hpp"
#include "core/layout.hpp"
#include "kernels/element/divisor.hpp"
#include "kernels/tuning.hpp"
#include "runtime/driver/nvrtc.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {
namespace {

constexpr int kVectorBytes = 16;
// A reduction of fewer elements does not compute them.
constexpr int64_t kCompileFrom = int64_t{1} << 16;

// How the rows of what is reduced lie in an operand.
struct RowsOf {
  const StepMemory* memory;
  bool is_single;            // whether there is one element for a row, else they lie side by side
  int64_t row_stride;        // elements
  int64_t outer_stride = 0;  // of so many rows together
  int64_t rows = 0;          // along the inner of two axes; 0 if all rows lie along one

  bool is_split() const { return rows > 0; }
  ArrayLayout layout(bool is_aligned) const {
    if (is_split())
      return {is_single ? ArrayLayout::kSplitSingle : ArrayLayout::kSplitRow, is_aligned};
    return {is_single ? ArrayLayout::kSingle : ArrayLayout::kRow, is_aligned};
  }
  void add_to(Constants& constants) const {
    constants.add(static_cast<int64_t>(reinterpret_cast<uintptr_t>(memory->data)));
    constants.add(row_stride);
    if (!is_split()) return;
    constants.add(outer_stride);
    const Divisor by = Divisor::of(static_cast<uint32_t>(rows));
    for (const uint32_t field : {by.divisor, by.multiplier, by.shift, 0u})
      constants.add(&field, sizeof field);
  }
};

// Views memory of a shape as rows of `columns` elements, in C order. Returns nullopt if the rows
// lie along more than two axes, or their elements neither side by side nor are one.
std::optional<RowsOf> rows_of(const StepMemory& memory, const Shape& shape, int64_t columns) {
  if (memory.strides == contiguous_strides(shape)) return RowsOf{&memory, false, columns};
  int axis = shape.size();
  int64_t inner = 1;
  while (axis > 0 && inner < columns) inner *= shape[--axis];
  if (inner != columns) return std::nullopt;
  Shape shapes[2];
  Strides strides[2];
  for (int k = 0; k < shape.size(); ++k) {
    shapes[k >= axis].push_back(shape[k]);
    strides[k >= axis].push_back(memory.strides[k]);
  }
  for (int k = 0; k < 2; ++k) merge_axes(shapes[k], std::span(&strides[k], 1));
  if (shapes[0].size() > 2 || shapes[1].size() > 1) return std::nullopt;
  const int64_t step = shapes[1].empty() ? 0 : strides[1][0];
  if (step < 0 || step > 1) return std::nullopt;
  RowsOf rows{&memory, step == 0, shapes[0].empty() ? 0 : strides[0].back()};
  if (shapes[0].size() < 2) return rows;
  rows.outer_stride = strides[0][0];
  rows.rows = shapes[0][1];
  if (element_count(shapes[0]) >= int64_t{1} << 31) return std::nullopt;
  return rows;
}

// Whether each output reduces a column of the rows instead of a row.
bool are_columns(const ReduceParams& params) { return params.path == ReducePath::columns; }

int64_t row_length(const ReduceParams& params) {
  return are_columns(params) ? params.outputs : params.count;
}

// Returns the elements of a load: 16 bytes of what is reduced. Along rows whose order does not
// change the result they are no more than 16 bytes of the widest operand, so that neighbouring
// threads read neighbouring memory.
int64_t load_length(const ReduceParams& params, const std::vector<RowsOf>& operands, DType source,
                    DType loop) {
  const int64_t all = kVectorBytes / itemsize(source);
  if (are_columns(params)) return std::min<int64_t>(all, 4);
  if (is_inexact(source) || is_inexact(loop)) return all;
  int64_t widest = itemsize(source);
  for (const RowsOf& operand : operands)
    if (!operand.is_single) widest = std::max<int64_t>(widest, itemsize(operand.memory->dtype));
  return kVectorBytes / widest;
}

// Whether the operand's elements are aligned where a load of `count` of those that are reduced
// begins, in every row.
bool is_aligned(const RowsOf& operand, const ReducePlan& plan, const ReduceParams& params,
                int64_t count) {
  if (operand.is_single) return true;
  const int64_t size = itemsize(plan.source_dtype), own = itemsize(operand.memory->dtype);
  const int64_t unit = std::min<int64_t>(kVectorBytes, count * own);
  const auto data = static_cast<int64_t>(reinterpret_cast<uintptr_t>(operand.memory->data));
  // What a row and its place, and `rows` of them, move a load by.
  const int64_t length = are_columns(params) ? 0 : params.count;
  const int64_t moved = (operand.row_stride - length) * own;
  const int64_t moved_outer = (operand.outer_stride - operand.rows * length) * own;
  int64_t head = 0;
  if (!are_columns(params)) {
    const auto place = static_cast<int64_t>(reinterpret_cast<uintptr_t>(plan.source)) / size;
    head = (count - place % count) % count;
    if (params.outputs == 1) return (data + head * own) % unit == 0;
  }
  return (data + head * own) % unit == 0 && moved % unit == 0 && moved_outer % unit == 0;
}

// A reduction of steps by one kernel.
struct PlannedReduction {
  ReduceLaunch launch;
  std::vector<RowsOf> operands;
  std::shared_ptr<Expression> expression;
  std::string layouts;
  std::string key;  // of the kernel among those of the expression
  int64_t load;     // elements
};

// Returns how the rows lie in the operands of the expression; nullopt if in none.
std::optional<std::vector<RowsOf>> all_rows(const Steps& steps, const KnownSteps& known,
                                            const ReduceParams& params) {
  std::vector<RowsOf> operands;
  for (int k : known.operands) {
    std::optional<RowsOf> rows =
        rows_of(steps.memory[static_cast<size_t>(k)], steps.shape, row_length(params));
    if (!rows) return std::nullopt;
    operands.push_back(*rows);
  }
  return operands;
}

// Returns nullopt if no kernel can compute what it reduces.
std::optional<PlannedReduction> plan_reduction(const Steps& steps, Reduction reduction, DType loop,
                                               const ReducePlan& plan, Device device) {
  ReduceLaunch launch = plan_cuda_reduction(reduction, plan, device);
  const ReduceParams& params = launch.params;
  const bool has_rows = params.path == ReducePath::rows || are_columns(params);
  const bool is_flat = params.reduced_ndim == 1 && params.kept_ndim <= 1;
  if (!has_rows || !is_flat) return std::nullopt;
  const std::shared_ptr<KnownSteps> known = known_steps(steps, reduction);
  if (known->expression == nullptr) return std::nullopt;
  std::optional<std::vector<RowsOf>> operands = all_rows(steps, *known, params);
  if (!operands) return std::nullopt;
  const int64_t load = load_length(params, *operands, plan.source_dtype, loop);
  std::string layouts;
  int64_t bytes = 0;
  for (const RowsOf& operand : *operands) {
    const ArrayLayout layout = operand.layout(is_aligned(operand, plan, params, load));
    layouts += {layout.ndim, layout.is_even};
    if (!operand.is_single) bytes += load * itemsize(operand.memory->dtype);
  }
  if (bytes > kReduceMostLoadBytes) return std::nullopt;
  const std::string key{static_cast<char>(device.index), static_cast<char>(loop),
                        static_cast<char>(are_columns(params))};
  return PlannedReduction{std::move(launch), std::move(*operands), known->expression,
                          layouts,           key + layouts,        load};
}

source::Taking taking_of(const PlannedReduction& planned, Reduction reduction, DType source,
                         DType loop) {
  return {.algorithm = reducer_type(loops_of(reduction), source, loop),
          .declarations = "using namespace gpuarray;\n",
          .element = source,
          .pack = static_cast<int>(planned.load),
          .is_flat = true,
          .by_rows = true,
          .are_columns = are_columns(planned.launch.params)};
}

// Returns the values of the parameters of the expression.
Constants constants_of(const Steps& steps, const std::vector<RowsOf>& operands) {
  Constants constants;
  constants.add(steps.size);
  for (const RowsOf& operand : operands) operand.add_to(constants);
  add_scalars(constants, steps);
  return constants;
}

}  // namespace

bool cuda_may_reduce_steps(int64_t size) { return size >= kCompileFrom; }

ReadyFlag cuda_prepare_reduction(const Steps& steps, Reduction reduction, DType loop,
                                 const ReducePlan& plan, Device device) {
  if (steps.size < kCompileFrom) return nullptr;
  const auto planned = plan_reduction(steps, reduction, loop, plan, device);
  if (!planned) return nullptr;
  return request_kernel(planned->expression, planned->key, device,
                        [expression = planned->expression, layouts = planned->layouts,
                         taking = taking_of(*planned, reduction, plan.source_dtype, loop)] {
                          return source::cuda(*expression, layouts, taking);
                        });
}

bool cuda_reduce_steps(const Steps& steps, Reduction reduction, DType loop, const ReducePlan& plan,
                       const StreamPtr& stream) {
  const Device device = stream->device();
  const bool is_now = steps.way == Steps::Way::compiled;
  if (is_now ? !nvrtc_library.available() : steps.size < kCompileFrom) return false;
  const auto planned = plan_reduction(steps, reduction, loop, plan, device);
  if (!planned) return false;
  Expression& expression = *planned->expression;
  void* kernel = nullptr;
  if (is_now)
    kernel = expression.compiled(planned->key, [&] {
      const auto taking = taking_of(*planned, reduction, plan.source_dtype, loop);
      return compile_for_cuda(expression, device,
                              source::cuda(expression, planned->layouts, taking));
    });
  else
    kernel = kernel_if_compiled(expression, planned->key, device);
  if (kernel == nullptr) return false;
  Constants constants = constants_of(steps, planned->operands);
  launch_reduction({kernel}, planned->launch, accumulator_size(loops_of(reduction), loop),
                   constants.data(), stream,
                   {expression.label(), plan.source_dtype, *plan.source_shape});
  return true;
}

}  // namespace gpuarray
