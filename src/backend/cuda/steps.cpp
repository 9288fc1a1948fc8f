// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/steps.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "backend/backend.hpp"
#include "backend/cuda/elementwise_kernels.hpp"
#include "backend/cuda/expression.hpp"
#include "backend/cuda/known_steps.hpp"
#include "backend/cuda/operations.hpp"
#include "core/layout.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/driver/nvrtc.hpp"

namespace gpuarray {
namespace {

constexpr int kMostCompiledDims = 6;

// The most memory for what steps that run one by one leave between them.
constexpr int64_t kMostTemporaryBytes = int64_t{64} << 20;

// Runs the steps by a kernel of their own. Returns false, with nothing queued, if there is none or
// it is not compiled yet, for which the steps must have run before and be worth it.
bool run_compiled(const Steps& steps, KnownSteps& known, const StreamPtr& stream) {
  const bool is_now = steps.way == Steps::Way::compiled;
  if (!is_now && ++known.runs < kRunsBeforeCompiling) return false;
  if (!nvrtc_library.available() || steps.shape.size() > kMostCompiledDims) return false;
  const std::shared_ptr<Expression>& expression = known.expression;
  if (expression == nullptr) return false;
  ExpressionPlan plan;
  fill_plan(plan, steps);
  if (!is_now) return cuda_expression_if_compiled(expression, plan, stream);
  cuda_expression(*expression, plan, stream);
  return true;
}

// Returns the last step that reads the result of each, or the step itself if none does.
std::vector<size_t> last_uses(const Steps& steps) {
  std::vector<size_t> last(steps.steps.size());
  for (size_t i = 0; i < last.size(); ++i) {
    last[i] = i;
    for (int k = 0; k < steps.steps[i].operand_count; ++k)
      if (const StepOperand& operand = steps.steps[i].operands[k];
          operand.from == StepOperand::From::step)
        last[operand.index] = i;
  }
  return last;
}

// Runs each step by its own kernel. What is left between them gets memory while it is needed.
void run_one_by_one(const Steps& steps, const StreamPtr& stream) {
  const auto is_left_between = [](const Step& step) { return step.target < 0; };
  const bool is_any_left = std::ranges::any_of(steps.steps, is_left_between);
  std::vector<BufferPtr> made(is_any_left ? steps.steps.size() : 0);
  const std::vector<size_t> last = is_any_left ? last_uses(steps) : std::vector<size_t>();
  const Strides dense = contiguous_strides(steps.shape);
  for (size_t i = 0; i < steps.steps.size(); ++i) {
    const Step& step = steps.steps[i];
    ElementwisePlan plan;
    plan.shape = steps.shape;
    plan.size = steps.size;
    plan.target_shape = &steps.shape;
    const auto add_memory = [&](const StepMemory& memory) {
      plan.add(memory.dtype, memory.data) = memory.strides;
    };
    if (step.target >= 0) {
      add_memory(steps.memory[static_cast<size_t>(step.target)]);
    } else {
      made[i] = Buffer::allocate(steps.size * itemsize(step.result), stream);
      plan.add(step.result, made[i]->address()) = dense;
    }
    for (int k = 0; k < step.operand_count; ++k) {
      const StepOperand& operand = step.operands[k];
      if (operand.from == StepOperand::From::scalar) {
        plan.add(steps.scalars[operand.index]) = Strides(steps.shape.size(), 0);
      } else if (operand.from == StepOperand::From::memory) {
        add_memory(steps.memory[operand.index]);
      } else if (const int target = steps.steps[operand.index].target; target >= 0) {
        add_memory(steps.memory[static_cast<size_t>(target)]);
      } else {
        plan.add(operand.dtype, made[operand.index]->address()) = dense;
      }
    }
    collapse(plan.shape, std::span(plan.strides, static_cast<size_t>(plan.operand_count)));
    ElementwiseLoop what{step.op ? static_cast<int>(*step.op) : ElementwiseLoop::kCast,
                         step.op ? step.loop : step.result,
                         plan.operand_count,
                         {}};
    std::copy_n(plan.dtypes, plan.operand_count, what.dtypes);
    cuda_elementwise(what, plan, stream);
    for (int k = 0; k < step.operand_count && is_any_left; ++k)
      if (const StepOperand& operand = step.operands[k];
          operand.from == StepOperand::From::step && last[operand.index] == i)
        made[operand.index] = nullptr;
  }
}

// Runs the steps one by one over parts of the shape, so that what is left between them takes little
// memory.
void run_in_parts(const Steps& steps, const StreamPtr& stream) {
  int64_t bytes = 0;  // of an element
  for (const Step& step : steps.steps)
    if (step.target < 0) bytes += itemsize(step.result);
  const int64_t most = kMostTemporaryBytes / std::max<int64_t>(bytes, 1);
  if (bytes == 0 || steps.size <= most) return run_one_by_one(steps, stream);
  int axis = 0;
  while (steps.shape[axis] == 1) ++axis;
  const int64_t extent = steps.shape[axis], row = steps.size / extent;
  const int64_t rows = std::clamp<int64_t>(most / row, 1, extent);
  Steps part = steps;
  for (int64_t begin = 0; begin < extent; begin += rows) {
    part.shape[axis] = std::min(rows, extent - begin);
    part.size = part.shape[axis] * row;
    for (size_t k = 0; k < steps.memory.size(); ++k) {
      const StepMemory& memory = steps.memory[k];
      part.memory[k].data =
          static_cast<char*>(memory.data) + begin * memory.strides[axis] * itemsize(memory.dtype);
    }
    run_in_parts(part, stream);
  }
}

}  // namespace

bool cuda_may_wait() { return nvrtc_library.available(); }

void cuda_steps(const Steps& steps, const StreamPtr& stream) {
  const bool may_fuse = steps.steps.size() > 1 && steps.way != Steps::Way::alone;
  if (may_fuse && run_compiled(steps, known_steps(steps), stream)) return;
  run_in_parts(steps, stream);
}

}  // namespace gpuarray
