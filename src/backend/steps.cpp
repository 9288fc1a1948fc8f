// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/steps.hpp"

#include "backend/backend.hpp"
#include "core/layout.hpp"

namespace gpuarray {

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
