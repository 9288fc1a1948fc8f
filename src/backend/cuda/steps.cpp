// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/steps.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "backend/backend.hpp"
#include "backend/cuda/expression.hpp"
#include "backend/cuda/known_steps.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/cuda/paths.hpp"
#include "backend/cuda/reduce.hpp"
#include "backend/tuning.hpp"
#include "core/error.hpp"
#include "core/layout.hpp"
#include "kernels/tuning.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/driver/nvrtc.hpp"

namespace gpuarray {
namespace {

constexpr int kMostCompiledDims = 6;

// The most memory for what steps that run one by one leave between them.
constexpr int64_t kMostTemporaryBytes = int64_t{64} << 20;

// Whether one kernel can compute the rows: it reduces some, and no row's element that it writes is
// one that threads still read.
bool can_compile_rows(const Steps& steps) {
  const auto reads = [&](const Step& step, const void* data) {
    return std::any_of(step.operands, step.operands + step.operand_count,
                       [&](const StepOperand& operand) {
                         return operand.from == StepOperand::From::memory &&
                                steps.memory[operand.index].data == data;
                       });
  };
  const auto is_read = [&](const Step& step) {
    const void* const data =
        step.target < 0 ? nullptr : steps.memory[static_cast<size_t>(step.target)].data;
    return data != nullptr && step.is_row() &&
           std::ranges::any_of(steps.steps, [&](const Step& other) { return reads(other, data); });
  };
  return std::ranges::any_of(steps.steps, &Step::reduces) &&
         std::ranges::none_of(steps.steps, is_read);
}

// Whether there can be a kernel for all of the steps.
bool can_compile(const Steps& steps) {
  if (steps.has_rows() && !can_compile_rows(steps)) return false;
  const auto mapped =
      std::ranges::count_if(steps.memory, [](const StepMemory& memory) { return memory.map >= 0; });
  return steps.shape.size() <= kMostCompiledDims && mapped <= kMostMapped &&
         steps.has_room_for_maps();
}

// Adds the maps to the plan, whose axes it collapses.
void collapse_mapped(ExpressionPlan& plan, const KnownSteps& known, const Steps& steps) {
  Strides* end = plan.strides + plan.operand_count;
  for (int k = 0; k < plan.operand_count; ++k) {
    const StepMemory& memory =
        steps.memory[static_cast<size_t>(known.operands[static_cast<size_t>(k)])];
    if (memory.map < 0) continue;
    plan.mapped.push_back(k);
    plan.maps.push_back(&steps.maps[static_cast<size_t>(memory.map)]);
    *end++ = plan.maps.back()->axes;
  }
  *end = fence_of(plan.shape.size(), {plan.strides + plan.operand_count, end});
  const std::span<Strides> all(plan.strides, end + 1);
  collapse(plan.shape, all);
  if (plan.shape.size() > 1 || plan.mapped.empty()) return;
  plan.shape.insert(0, 1);
  for (Strides& strides : all) strides.insert(0, 0);
}

void fill_plan(ExpressionPlan& plan, const KnownSteps& known, const Steps& steps, Device device) {
  const bool has_rows = known.expression->has_reductions();
  const bool is_flat = steps.is_plain && !has_rows;
  plan.size = steps.size;
  plan.target_shape = &steps.shape;
  plan.shape = is_flat ? Shape{steps.size} : steps.shape;
  for (int k : known.operands) {
    const StepMemory& memory = steps.memory[static_cast<size_t>(k)];
    if (known.expression->parameters()[static_cast<size_t>(plan.operand_count)].is_written)
      plan.fresh |= 1u << plan.operand_count;  // what was there is not read
    plan.add(memory.dtype, memory.data) = is_flat ? Strides{1} : memory.strides;
  }
  if (has_rows)
    collapse_to_rows(plan.shape, plan.all_strides());
  else if (!steps.maps.empty())
    collapse_mapped(plan, known, steps);
  else if (!is_flat)
    collapse(plan.shape, plan.all_strides());
  plan.constants.add(plan.size);
  add_scalars(plan.constants, steps);
  if (has_rows) add_orders(plan.constants, steps, device);
}

// Returns the only reduction of rows, if the steps before it are what it alone needs, and those
// after it are on what it gave. Its own kernel, which computes what it reduces, is faster then than
// one of rows, which could keep them for nothing.
std::optional<size_t> only_reduction(const Steps& steps) {
  if (!steps.has_rows()) return std::nullopt;
  const auto at = std::ranges::find_if(steps.steps, &Step::reduces);
  const auto is_needed = [](const Step& step) { return step.target < 0 && !step.is_row(); };
  const auto is_on_rows = [](const Step& step) { return step.is_row() && !step.reduces(); };
  if (at == steps.steps.end() || at == steps.steps.begin() ||
      !std::all_of(steps.steps.begin(), at, is_needed) ||
      !std::all_of(at + 1, steps.steps.end(), is_on_rows))
    return std::nullopt;
  return static_cast<size_t>(at - steps.steps.begin());
}

// Returns what the reduction is made of.
Steps before(const Steps& steps, size_t reduction) {
  Steps others = steps;
  others.steps.resize(reduction);
  return others;
}

Reduction reduction_of(const Steps& steps, const Step& step) {
  return steps.reductions[static_cast<size_t>(step.result_of)].reduction;
}

ReadyFlag prepare_reduction(const Steps& steps, size_t at, Device device) {
  const Step& step = steps.steps[at];
  return cuda_prepare_reduction(before(steps, at), reduction_of(steps, step), step.loop,
                                steps.plan_of(at, nullptr), device);
}

void run_alone(const Steps& steps, size_t i, void* const* results, const StreamPtr& stream) {
  const Step& step = steps.steps[i];
  const auto run = [&](ElementwisePlan& each) {
    collapse(each.shape, each.all_strides());
    cuda_elementwise(step.op, step.loop, each, stream);
  };
  const bool is_mapped = steps.map_of(i) != nullptr;
  for (int k = 0; k < (is_mapped ? step.operand_count : 1); ++k) {
    ElementwisePlan plan;
    steps.fill_plan(plan, i, is_mapped ? k : -1, results);
    if (is_mapped)
      for_each_box(plan, *steps.map_of(i, k), run);
    else
      run(plan);
  }
}

// Runs the reduction by the kernel that computes what it reduces, and each step after it by its
// own. Returns false, with nothing queued, if there is no such kernel yet.
bool reduce_compiled(const Steps& steps, size_t at, const StreamPtr& stream) {
  std::vector<BufferPtr> buffers;
  std::vector<void*> results(steps.steps.size());
  for (size_t i = at; i < results.size(); ++i) {
    const Step& step = steps.steps[i];
    if (step.target >= 0) continue;
    buffers.push_back(Buffer::allocate(steps.size_of(step) * itemsize(step.result), stream));
    results[i] = buffers.back()->address();
  }
  const Step& step = steps.steps[at];
  ReducePlan plan = steps.plan_of(at, nullptr);
  plan.target = step.target < 0 ? results[at] : steps.memory[static_cast<size_t>(step.target)].data;
  if (!cuda_reduce_steps(before(steps, at), reduction_of(steps, step), step.loop, plan, stream))
    return false;
  for (size_t i = at + 1; i < results.size(); ++i) run_alone(steps, i, results.data(), stream);
  return true;
}

// Runs the steps by a kernel of their own. Returns false, with nothing queued, if there is none or
// it is not compiled yet.
bool run_compiled(const Steps& steps, const StreamPtr& stream) {
  const bool is_now = steps.way == Steps::Way::compiled;
  if (!can_compile(steps) || (is_now && !nvrtc_library.available())) return false;
  if (const std::optional<size_t> at = only_reduction(steps))
    if (reduce_compiled(steps, *at, stream)) return true;
  const std::shared_ptr<KnownSteps> known = known_steps(steps);
  if (known->expression == nullptr) return false;
  try {
    ExpressionPlan plan;
    fill_plan(plan, *known, steps, stream->device());
    if (is_now) {
      cuda_expression(*known->expression, plan, stream);
      return true;
    }
    if (cuda_expression_if_compiled(*known->expression, plan, stream)) return true;
  } catch (const ValueError&) {  // too large for one kernel
    return false;
  }
  if (++known->runs >= kRunsBeforeCompiling) cuda_prepare(steps, stream->device());
  return false;
}

void reduce_rows(const Steps& steps, size_t i, void* const* results, const StreamPtr& stream) {
  const Step& step = steps.steps[i];
  ReducePlan plan = steps.plan_of(i, results);
  plan.target = step.target < 0 ? results[i] : steps.memory[static_cast<size_t>(step.target)].data;
  cuda_reduce(reduction_of(steps, step), step.loop, plan, stream);
}

// Runs each step by its own kernel. An unwritten result has memory while it is needed.
void run_one_by_one(const Steps& steps, const StreamPtr& stream) {
  const auto is_unwritten = [](const Step& step) { return step.target < 0; };
  const bool has_unwritten = std::ranges::any_of(steps.steps, is_unwritten);
  const std::vector<size_t> last = has_unwritten ? steps.last_uses() : std::vector<size_t>();
  std::vector<BufferPtr> buffers(last.size());
  std::vector<void*> results(last.size());
  for (size_t i = 0; i < steps.steps.size(); ++i) {
    const Step& step = steps.steps[i];
    if (is_unwritten(step)) {
      buffers[i] = Buffer::allocate(steps.size_of(step) * itemsize(step.result), stream);
      results[i] = buffers[i]->address();
    }
    if (step.reduces())
      reduce_rows(steps, i, results.data(), stream);
    else
      run_alone(steps, i, results.data(), stream);
    for (int k = 0; k < step.operand_count; ++k)
      if (const StepOperand& operand = step.operands[k];
          steps.is_unwritten(operand) && last[operand.index] == i)
        buffers[operand.index] = nullptr;
  }
}

// Runs the steps one by one over parts of the shape, so that what is left between them takes little
// memory.
void run_in_parts(const Steps& steps, const StreamPtr& stream) {
  int64_t bytes = 0;  // of an element
  for (const Step& step : steps.steps)
    if (step.target < 0) bytes += itemsize(step.result);
  const int64_t most = kMostTemporaryBytes / std::max<int64_t>(bytes, 1);
  // What maps read lies anywhere, and the order of a reduction depends on the number of rows.
  if (bytes == 0 || steps.size <= most || !steps.maps.empty() || steps.has_rows())
    return run_one_by_one(steps, stream);
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

bool cuda_steps(const Steps& steps, const StreamPtr& stream) {
  const bool may_fuse = steps.steps.size() > 1 && steps.way != Steps::Way::alone;
  if (may_fuse && run_compiled(steps, stream)) return true;
  run_in_parts(steps, stream);
  return !may_fuse;
}

ReadyFlag cuda_prepare(const Steps& steps, Device device) {
  static const ReadyFlag built_ahead = std::make_shared<std::atomic<bool>>(true);
  if (steps.steps.size() < 2) return built_ahead;
  if (!can_compile(steps)) return nullptr;
  if (const std::optional<size_t> at = only_reduction(steps))
    if (ReadyFlag flag = prepare_reduction(steps, *at, device)) return flag;
  const std::shared_ptr<KnownSteps> known = known_steps(steps);
  if (known->expression == nullptr) return nullptr;
  try {
    ExpressionPlan plan;
    fill_plan(plan, *known, steps, device);
    return request_cuda_expression(known->expression, plan, device);
  } catch (const Error&) {  // too large for one kernel
    return nullptr;
  }
}

bool cuda_may_join_rows(Reduction reduction, DType loop, const ReducePlan& plan, Device device) {
  const int64_t rows = plan.kept[0], columns = plan.reduced[0];
  if (rows * columns > kReducedRowsFew &&
      paths::held_elements(columns, itemsize(plan.source_dtype)) < kReducedRowsElements)
    return false;
  return has_direct_reduction(reduction, plan.source_dtype, loop) &&
         plan_cuda_reduction(reduction, plan, device).params.chunks == 1;
}

StepsCost cuda_cost_of(const Steps& steps) {
  constexpr double kTimes[] = {kCudaSimple, kCudaDivision, kCudaFunction};
  const auto size = static_cast<double>(steps.size);
  const auto launch = [&](int64_t bytes, double all_work) {
    return std::max({kCudaLaunch, all_work, size * static_cast<double>(bytes) * kCudaByte});
  };
  StepsCost cost;
  double all_work = 0;
  int64_t bytes_alone = 0, bytes_together = 0, row_bytes = 0;
  bool stores_rows = false;
  uint64_t read = 0;
  for (size_t i = 0; i < steps.steps.size(); ++i) {
    const Step& step = steps.steps[i];
    const double work = kTimes[static_cast<int>(kind_of(step))] *
                        (step.reduces() ? size : static_cast<double>(steps.size_of(step)));
    cost.alone += launch(steps.bytes_alone(i), work);
    // One kernel copies several operands.
    if (const IndexMap* map = steps.map_of(i); map != nullptr && step.operand_count == 1)
      cost.alone += (map->boxes(steps.shape) - 1) * kCudaLaunch;
    all_work += work;
    bytes_alone += steps.bytes_alone(i);
    bytes_together += steps.bytes_in_pass(i, read);
    if (!step.is_row()) continue;
    stores_rows = stores_rows || step.target >= 0;
    if (step.reduces()) row_bytes += cuda_row_bytes(steps.shape.back());
  }
  if (stores_rows) row_bytes *= 2;
  if (const std::optional<size_t> at = only_reduction(steps)) {
    row_bytes = 0;
    cost.together += kCudaLaunch * static_cast<double>(steps.steps.size() - 1 - *at);
  }
  cost.together += kCudaGroup + kCudaGroupStep * static_cast<double>(steps.steps.size()) +
                   launch(bytes_together + row_bytes, all_work);
  cost.saved = cost.alone - cost.together;
  cost.bytes_saved = (bytes_alone - bytes_together) * steps.size;
  return cost;
}

}  // namespace gpuarray
