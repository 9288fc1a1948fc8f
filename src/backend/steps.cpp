// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/steps.hpp"

#include "backend/backend.hpp"
#include "core/layout.hpp"

namespace gpuarray {

StepKind kind_of(const Step& step) {
  // Elements of 16 bits are converted to be computed.
  const bool is_half = step.loop == DType::float16 || step.loop == DType::bfloat16;
  const StepKind simple = is_half ? StepKind::division : StepKind::simple;
  if (!step.op) return StepKind::simple;
  switch (*step.op) {
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::maximum:
    case Op::minimum:
    case Op::fmax:
    case Op::fmin:
    case Op::copysign:
    case Op::bitwise_and:
    case Op::bitwise_or:
    case Op::bitwise_xor:
    case Op::left_shift:
    case Op::right_shift:
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_xor:
    case Op::logical_not:
    case Op::negative:
    case Op::positive:
    case Op::absolute:
    case Op::fabs:
    case Op::invert:
    case Op::sign:
    case Op::conjugate:
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
    case Op::rint:
    case Op::square:
    case Op::degrees:
    case Op::radians:
    case Op::isnan:
    case Op::isinf:
    case Op::isfinite:
    case Op::signbit:
    case Op::where:
    case Op::clip:
      return simple;
    case Op::divide:
    case Op::sqrt:
    case Op::reciprocal:
      return StepKind::division;
    default:
      return StepKind::function;
  }
}

bool is_whole(const Shape& shape, const Strides& strides) {
  for (int axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] > 1 && strides[axis] == 0) return false;
  return true;
}

int64_t Steps::bytes_alone(size_t i) const {
  const Step& step = steps[i];
  int64_t bytes = itemsize(step.result);
  for (int k = 0; k < step.operand_count; ++k)
    if (const StepOperand& operand = step.operands[k];
        operand.from == StepOperand::From::step ||
        (operand.from == StepOperand::From::memory &&
         (is_plain || is_whole(shape, memory[operand.index].strides))))
      bytes += itemsize(operand.dtype);
  return bytes;
}

int64_t Steps::bytes_in_pass(size_t i, uint64_t& read) const {
  const Step& step = steps[i];
  int64_t bytes = step.target < 0 ? 0 : itemsize(step.result);
  for (int k = 0; k < step.operand_count; ++k) {
    const StepOperand& operand = step.operands[k];
    if (operand.from != StepOperand::From::memory || (read >> operand.index & 1) != 0) continue;
    read |= uint64_t{1} << operand.index;
    if (is_plain || is_whole(shape, memory[operand.index].strides))
      bytes += itemsize(operand.dtype);
  }
  return bytes;
}

bool Steps::is_unwritten(const StepOperand& operand) const {
  return operand.from == StepOperand::From::step && steps[operand.index].target < 0;
}

void Steps::fill_plan(ElementwisePlan& plan, size_t i, void* const* results) const {
  const Step& step = steps[i];
  plan.shape = shape;
  plan.size = size;
  plan.target_shape = &shape;
  const auto add_memory = [&](const StepMemory& operand) {
    plan.add(operand.dtype, operand.data) = operand.strides;
  };
  const auto add_result = [&](size_t of) {
    if (const int target = steps[of].target; target >= 0)
      return add_memory(memory[static_cast<size_t>(target)]);
    plan.add(steps[of].result, results[of]) = contiguous_strides(shape);
  };
  add_result(i);
  for (int k = 0; k < step.operand_count; ++k) {
    const StepOperand& operand = step.operands[k];
    if (operand.from == StepOperand::From::scalar)
      plan.add(scalars[operand.index]) = Strides(shape.size(), 0);
    else if (operand.from == StepOperand::From::memory)
      add_memory(memory[operand.index]);
    else
      add_result(operand.index);
  }
}

std::vector<size_t> Steps::last_uses() const {
  std::vector<size_t> last(steps.size());
  for (size_t i = 0; i < last.size(); ++i) {
    last[i] = i;
    for (int k = 0; k < steps[i].operand_count; ++k)
      if (const StepOperand& operand = steps[i].operands[k];
          operand.from == StepOperand::From::step)
        last[operand.index] = i;
  }
  return last;
}

}  // namespace gpuarray
