// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/fold.hpp"

#include <string>

#include "array/axes.hpp"
#include "array/operand.hpp"
#include "array/ops.hpp"
#include "core/error.hpp"

namespace gpuarray::ops {
namespace {

bool is_scan(const Fold& fold) { return fold.text().kind != FoldKind::reduction; }

ArgumentBlock block_of(const Fold& fold, std::span<const Argument> arguments, const Shape& shape) {
  const auto parameters = fold.expression().parameters();
  Shape merged = shape;  // its axes merged where all arrays of elements allow it
  Strides strides[kMostParameters];
  size_t elements = 0;
  for (size_t k = 0; k < parameters.size(); ++k)
    if (parameters[k].role == Role::element)
      strides[elements++] =
          broadcast_strides(arguments[k].array->shape(), arguments[k].array->strides(), shape);
  merge_axes(merged, std::span(strides, elements));
  ArgumentBlock block;
  block.constants.add(element_count(shape));
  size_t element = 0;
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (parameters[k].role == Role::element)
      add_array(block, *arguments[k].array, merged, strides[element++]);
    else
      add_constant(block, parameters[k], arguments[k]);
  }
  return block;
}

void require_out(const Fold& fold, const Array& out, const Shape& shape) {
  const std::string what = fold.expression().label();
  require_writable(out, (what + ": " + fold.text().output).c_str());
  ops::require_out(out, shape, fold.text().result, what.c_str());
}

// Returns whether an input could be overwritten before it is read. A scan of elements reads each
// where it writes the result, so the very same array does not disturb it.
bool is_disturbed(const Fold& fold, std::span<const Argument> arguments, const Array& out) {
  for (size_t k = 0; k < arguments.size(); ++k) {
    const Array* array = arguments[k].array;
    if (array == nullptr) continue;
    const bool whole = fold.expression().parameters()[k].role != Role::element;
    if (disturbs(out, *array, whole)) return true;
  }
  return false;
}

void queue(Fold& fold, ArgumentBlock& block, const Shape& shape, SplitAxes& axes,
           std::span<const int> folded, const Array& target) {
  block.use(*target.buffer(), true);
  Strides strides[2];
  strides[1] = axes.kept_strides;
  const StreamPtr& stream = current_stream(target.device());
  if (is_scan(fold)) {
    const int axis = folded[0];
    strides[0] = target.strides();
    strides[0].erase(axis);
    collapse(axes.kept, strides);
    ScanPlan plan;
    plan.source_dtype = fold.text().type;
    plan.source_shape = &shape;
    plan.kept = axes.kept;
    plan.length = shape[axis];
    plan.source_step = axes.reduced_strides[0];
    plan.source_strides = strides[1];
    plan.target = target.settle();
    plan.target_step = target.strides()[axis];
    plan.target_strides = strides[0];
    return gpuarray::run_fold(fold, target.dtype(), block, plan, stream);
  }
  strides[0] = kept_strides(target.strides(), axes, folded);
  ReducePlan plan;
  collapse(axes.kept, strides);
  merge_axes(axes.reduced, std::span(&axes.reduced_strides, 1));
  plan.source_dtype = fold.text().type;
  plan.source_shape = &shape;
  plan.kept = axes.kept;
  plan.reduced = axes.reduced;
  plan.kept_strides = strides[1];
  plan.reduced_strides = axes.reduced_strides;
  plan.target = target.settle();
  plan.target_strides = strides[0];
  gpuarray::run_fold(fold, target.dtype(), block, plan, stream);
}

}  // namespace

Shape fold_shape(const Fold& fold, std::span<const Argument> arguments) {
  const auto parameters = fold.expression().parameters();
  Shape shapes[kMostParameters];
  size_t known = 0;
  for (size_t k = 0; k < parameters.size(); ++k)
    if (parameters[k].role == Role::element) shapes[known++] = arguments[k].array->shape();
  if (known > 0) return broadcast_shapes(std::span(shapes, known), fold.expression().label());
  for (const Argument& argument : arguments)
    if (argument.array != nullptr) return {argument.array->size()};
  throw ValueError(std::string(fold.expression().label()) + ": expected an array");
}

Array run_fold(Fold& fold, std::span<const Argument> arguments, Device device, const Shape& shape,
               std::span<const int> axes, bool keepdims, const Array* out) {
  const auto parameters = fold.expression().parameters();
  const char* what = fold.expression().label();
  for (size_t k = 0; k < parameters.size(); ++k)
    if (arguments[k].array != nullptr) require_layout(*arguments[k].array, parameters[k], what);
  // Mapped elements are in C order.
  SplitAxes split = split_axes(shape, contiguous_strides(shape), axes, keepdims);
  const Shape result = is_scan(fold) ? shape : split.result;
  if (!is_scan(fold) && fold.text().identity.empty() && element_count(split.reduced) == 0)
    throw ValueError(std::string("zero-size array to reduction operation ") + what +
                     " which has no identity: shape " + to_string(shape));
  if (out != nullptr) require_out(fold, *out, result);
  const bool direct = out != nullptr && !is_disturbed(fold, arguments, *out);
  const Array target = direct ? *out : empty(result, fold.text().result, device);
  if (target.size() > 0) {
    ArgumentBlock block = block_of(fold, arguments, shape);
    queue(fold, block, shape, split, axes, target);
  }
  if (out == nullptr || direct) return target;
  assign(*out, target);
  return *out;
}

}  // namespace gpuarray::ops
