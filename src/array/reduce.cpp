// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "array/axes.hpp"
#include "array/operand.hpp"
#include "array/ops.hpp"
#include "array/windows/joining.hpp"
#include "backend/devices/backend_of.hpp"
#include "core/error.hpp"
#include "core/promote.hpp"

namespace gpuarray::ops {
namespace {

DType result_dtype_of(Reduction reduction, DType loop) {
  switch (info(reduction).result) {
    case ReductionResult::BOOL:
      return DType::bool_;
    case ReductionResult::INDEX:
      return DType::int64;
    case ReductionResult::REAL:
      return real_dtype(loop);
    default:
      return loop;
  }
}

// Returns the loop's dtype. Variances are computed in a floating dtype, whatever `dtype` is. As in
// NumPy, sums and means that are written to `out` are computed in the promotion of both dtypes.
DType loop_dtype_of(Reduction reduction, DType source, std::optional<DType> dtype,
                    const Array* out) {
  const ReductionResult result = info(reduction).result;
  const bool widens =
      result == ReductionResult::SUM || (result == ReductionResult::MEAN && is_inexact(source));
  DType loop = default_loop_dtype(info(reduction), source);
  if (dtype)
    loop = *dtype;
  else if (out != nullptr && widens)
    loop = promote(source, out->dtype());
  return is_average(info(reduction)) ? default_mean_dtype(loop) : loop;
}

void require_elements(Reduction reduction, const Array& source, const SplitAxes& axes) {
  bool empty = element_count(axes.reduced) == 0;
  if (empty && info(reduction).empty == ReductionEmpty::ERROR)
    throw ValueError(std::string("zero-size array to reduction operation ") + info(reduction).name +
                     " which has no identity: shape " + to_string(source.shape()));
}

void require_index_dtype(Reduction reduction, const Array& out) {
  if (info(reduction).result == ReductionResult::INDEX && !is_integer(out.dtype()))
    throw TypeError(std::string(info(reduction).name) +
                    ": cannot write indices into an array of dtype " + name(out.dtype()));
}

// Turns a negative stride round, and returns the offset of the element where the axis then begins.
int64_t reversed(int64_t extent, int64_t& stride) {
  const int64_t end = stride < 0 && extent > 0 ? (extent - 1) * stride : 0;
  stride = std::abs(stride);
  return end;
}

// Turns round axes that run backwards through the source. Returns the offsets of the new first
// element of the source and of the target. An index counts along the reduced axes, so these stay as
// they are.
std::pair<int64_t, int64_t> walk_forwards(SplitAxes& axes, Strides& target_strides, bool index) {
  std::pair<int64_t, int64_t> offsets;
  for (int axis = 0; axis < axes.kept.size(); ++axis) {
    if (axes.kept_strides[axis] >= 0 || axes.kept[axis] == 0) continue;
    offsets.second += (axes.kept[axis] - 1) * target_strides[axis];
    target_strides[axis] = -target_strides[axis];
    offsets.first += reversed(axes.kept[axis], axes.kept_strides[axis]);
  }
  for (int axis = 0; axis < axes.reduced.size() && !index; ++axis)
    offsets.first += reversed(axes.reduced[axis], axes.reduced_strides[axis]);
  return offsets;
}

// Returns where the source begins. Without memory it is a pending result, which the reduction
// computes: then the address has the alignment of memory, which decides how elements are reduced.
char* address_of(const Array& source) {
  return source.buffer()->lacks_memory()
             ? reinterpret_cast<char*>(MemoryResource::kAlignment) + source.offset()
             : source.address();
}

// Whether the reduction may wait as one of contiguous rows for what follows on them.
bool may_join(Reduction reduction, DType loop, const Array& source, const Array& target,
              const ReducePlan& plan) {
  const int64_t columns = plan.reduced.empty() ? 0 : plan.reduced.back();
  const int bytes = source.itemsize();
  return !source.device().is_cpu() && mode.load(std::memory_order_relaxed) != Fusion::off &&
         target.buffer().use_count() == 1 && target.buffer()->lacks_memory() && source.ndim() > 1 &&
         source.is_c_contiguous() && plan.reduced.size() == 1 && columns == source.shape().back() &&
         plan.kept.size() == 1 && plan.kept_strides[0] == columns &&
         std::isfinite(plan.correction) && plan.correction == std::round(plan.correction) &&
         backend_of(source.device()).may_hold_rows(columns, bytes, bytes, bytes) &&
         backend_of(source.device()).may_join_rows(reduction, loop, plan, source.device());
}

// Returns whether it waits so. If it may not, nothing is done; if it does not, what waited has run.
std::optional<bool> join_rows(Reduction reduction, DType loop, const Array& source,
                              const Array& target, const ReducePlan& plan) {
  if (!may_join(reduction, loop, source, target, plan)) return std::nullopt;
  const Operand operand = source;
  const StepReduction step{reduction, plan.correction};
  const Joining joining{std::nullopt, loop, target, std::span(&operand, 1), {}, &step};
  if (!has_room_for_rows(joining)) return std::nullopt;
  return join_window(joining);
}

void run(Reduction reduction, DType loop, const Array& source, const Array& target, SplitAxes axes,
         std::span<const int> reduced, double correction) {
  if (target.size() == 0) return;
  ReducePlan plan;
  const bool index = info(reduction).result == ReductionResult::INDEX;
  Strides target_strides = kept_strides(target.strides(), axes, reduced);
  const auto [from, to] = walk_forwards(axes, target_strides, index);
  const auto count = static_cast<double>(element_count(axes.reduced));
  plan.divisor = std::max(count - correction, 0.0);
  plan.root = plain_of(reduction) == Reduction::std;
  plan.correction = correction;
  plan.source_dtype = source.dtype();
  plan.source_shape = &source.shape();
  plan.source = address_of(source) + from * itemsize(source.dtype());
  Strides kept[] = {axes.kept_strides, target_strides};
  collapse(axes.kept, kept);
  // An index counts in C order, so the reduced axes keep their order.
  if (index)
    merge_axes(axes.reduced, std::span(&axes.reduced_strides, 1));
  else
    collapse(axes.reduced, std::span(&axes.reduced_strides, 1));
  plan.kept = axes.kept;
  plan.kept_strides = kept[0];
  plan.target_strides = kept[1];
  plan.reduced = axes.reduced;
  plan.reduced_strides = axes.reduced_strides;
  const std::optional<bool> waits = join_rows(reduction, loop, source, target, plan);
  if (waits == true) return;
  if (!waits) {
    plan.target = target.settle() + to * itemsize(target.dtype());
    if (reduce_window({reduction, loop, source, target, plan})) return;
  }
  Access access(current_stream(source.device()));
  // Opening a value may have moved it.
  plan.source = static_cast<const char*>(access.read(source)) + from * itemsize(source.dtype());
  plan.target = static_cast<char*>(access.write(target)) + to * itemsize(target.dtype());
  backend_of(source.device()).reduce(reduction, loop, plan, access.stream());
}

// Returns the mean, in float64, of a sum in a dtype of integers or bools, which wraps as in NumPy.
Array mean_of_whole_numbers(const Array& source, std::span<const int> axes, bool keepdims,
                            DType dtype) {
  const double count = static_cast<double>(
      element_count(split_axes(source.shape(), source.strides(), axes, false).reduced));
  const Array total = reduce(Reduction::sum, source, axes, keepdims, dtype);
  const Operand operands[] = {total, Scalar::weak_float(count)};
  return elementwise(Op::divide, operands);
}

// Returns a new result. On the cpu device it has its memory, because a reduction runs at once
// there.
Array new_target(const Shape& shape, DType dtype, Device device) {
  return device.is_cpu() ? empty(shape, dtype, device) : new_result(shape, dtype, device);
}

std::vector<int> every_axis(const Array& array) {
  std::vector<int> axes(static_cast<size_t>(array.ndim()));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

}  // namespace

Array reduce(Reduction reduction, const Array& source, std::span<const int> axes, bool keepdims,
             std::optional<DType> dtype, const Array* out, double correction) {
  const Operand operand = source;
  common_device(std::span(&operand, 1), out, info(reduction).name);
  const DType loop = loop_dtype_of(reduction, source.dtype(), dtype, out);
  SplitAxes split = split_axes(source.shape(), source.strides(), axes, keepdims);
  require_elements(reduction, source, split);
  const bool is_whole = info(reduction).result == ReductionResult::MEAN && dtype && *dtype != loop;
  DType result = is_whole ? *dtype : result_dtype_of(reduction, loop);
  if (out != nullptr) {
    require_index_dtype(reduction, *out);
    require_out(*out, split.result, result, info(reduction).name);
  }
  if (is_whole) {
    const Array mean = mean_of_whole_numbers(source, axes, keepdims, *dtype);
    if (out == nullptr) return astype(mean, *dtype);
    assign(*out, mean);
    return *out;
  }
  bool direct = out != nullptr && out->dtype() == result && !shares_memory(*out, source);
  Array target = direct ? *out : new_target(split.result, result, source.device());
  run(reduction, loop, source, target, std::move(split), axes, correction);
  if (out == nullptr || direct) return target;
  assign(*out, target);
  return *out;
}

Array reduce_all(Reduction reduction, const Array& source) {
  return reduce(reduction, source, every_axis(source), false);
}

Array arg_reduce(Reduction reduction, const Array& source, std::optional<int> axis, bool keepdims,
                 const Array* out) {
  if (axis) {
    int axes[] = {*axis};
    if (source.shape()[*axis] == 0 && element_count(source.shape()) == 0)
      throw ValueError(std::string("attempt to get ") + info(reduction).name +
                       " of an empty sequence: axis " + std::to_string(*axis) + " of shape " +
                       to_string(source.shape()));
    return reduce(reduction, source, axes, keepdims, std::nullopt, out);
  }
  if (source.size() == 0)
    throw ValueError(std::string("attempt to get ") + info(reduction).name +
                     " of an empty sequence: shape " + to_string(source.shape()));
  return reduce(reduction, source, every_axis(source), keepdims, std::nullopt, out);
}

}  // namespace gpuarray::ops
