// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "backend/host/half_lookup.hpp"
#include "backend/host/host.hpp"
#include "backend/host/row_runner.hpp"
#include "backend/steps.hpp"
#include "backend/tuning.hpp"
#include "core/layout.hpp"

namespace gpuarray::host {
namespace {

constexpr int64_t kUsualBlock = 1024;  // elements

// Returns the loop of an operation in a dtype; null if elements of 16 bits are computed by that of
// float32.
loops::RowLoop elementwise_loop(Op op, DType dtype) {
  return loops::table().elementwise[static_cast<int>(op)][static_cast<int>(dtype)];
}

// A step as a plan of its own. An unwritten result lies in a slot, which has memory for a block.
class BlockStep {
 public:
  BlockStep(const Steps& all, size_t i, const std::vector<int>& slots, void* const* results)
      : slots_{slots[i], -1, -1, -1} {
    const Step& step = all.steps[i];
    all.fill_plan(plan_, i, results);
    for (int k = 0; k < step.operand_count; ++k)
      if (all.is_unwritten(step.operands[k])) slots_[k + 1] = slots[step.operands[k].index];
    if (all.map_of(i) != nullptr) {
      copies_.reserve(step.operand_count);
      for (int k = 0; k < step.operand_count; ++k) {
        ElementwisePlan plan;
        all.fill_plan(plan, i, k, results);
        copies_.emplace_back(plan, *all.map_of(i, k));
      }
      return;
    }
    merge_axes(plan_.shape, plan_.all_strides());
    runner_.emplace(row_of(step.op, step.loop, plan_), plan_);
  }
  BlockStep(const BlockStep&) = delete;

  // Runs the elements [begin, end), with the slots of a block at `slots`.
  void run(int64_t begin, int64_t end, char* slots, int64_t slot_bytes) const {
    char* data[kMaxOperands];
    for (int k = 0; k < plan_.operand_count; ++k)
      data[k] = slots_[k] < 0 ? memory(k)
                              : slots + slot_bytes * slots_[k] - begin * itemsize(plan_.dtypes[k]);
    if (runner_) return runner_->run(begin, end, data);
    for (size_t k = 0; k < copies_.size(); ++k) {
      char* const operands[] = {data[0], data[k + 1]};
      copies_[k].run(begin, end, operands);
    }
  }

 private:
  char* memory(int k) const {
    return runner_ ? runner_->data(k) : static_cast<char*>(plan_.data[k]);
  }

  ElementwisePlan plan_;
  int slots_[kMaxOperands];
  // One, or copies of operands that have maps.
  std::optional<RowRunner> runner_;
  std::vector<MappedCopy> copies_;
};

// Gives each unwritten result a slot until it was used last. Returns how many slots there are.
int place(const Steps& steps, std::vector<int>& slots) {
  std::vector<size_t> last = steps.last_uses();
  std::vector<int> free;
  int made = 0;
  for (size_t i = 0; i < slots.size(); ++i) {
    // The result does not take the slot of an operand, which a loop may read after it writes.
    if (steps.steps[i].target < 0) {
      if (free.empty()) free.push_back(made++);
      slots[i] = free.back();
      free.pop_back();
    }
    for (int k = 0; k < steps.steps[i].operand_count; ++k)
      if (const StepOperand& operand = steps.steps[i].operands[k];
          steps.is_unwritten(operand) && last[operand.index] == i) {
        last[operand.index] = slots.size();  // it may be several operands
        free.push_back(slots[operand.index]);
      }
  }
  return made;
}

}  // namespace

ElementwiseRow::ElementwiseRow(Op op, DType loop, int64_t size) : row(elementwise_loop(op, loop)) {
  const auto set = [op](DType* dtypes, DType loop) {
    dtypes[0] = loop_of(op, loop)->result;
    std::fill_n(dtypes + 1, kMaxOperands - 1, loop);
    if (info(op).rule == OpRule::SELECT) dtypes[1] = DType::bool_;
  };
  set(rounded, loop);
  if (row == nullptr && size >= kLeastLookup) row = half_lookup(op, loop);
  if (row != nullptr) [[likely]] {
    std::copy_n(rounded, kMaxOperands, natural);
    return;
  }
  row = elementwise_loop(op, DType::float32);
  set(natural, DType::float32);
}

ElementwiseRow::ElementwiseRow(loops::RowLoop loop, const DType* dtypes) : row(loop) {
  std::copy_n(dtypes, kMaxOperands, natural);
  std::copy_n(dtypes, kMaxOperands, rounded);
}

ElementwiseRow row_of(std::optional<Op> op, DType loop, const ElementwisePlan& plan) {
  if (op) [[likely]]
    return {*op, loop, plan.size};
  const DType from = plan.dtypes[1];
  return {from == loop ? nullptr : cast_loop(from, loop), plan.dtypes};
}

void run_steps(const Steps& steps) {
  std::vector<int> slots(steps.steps.size(), -1);
  const int slot_count = place(steps, slots);
  static char nowhere;
  const std::vector<void*> results(slots.size(), &nowhere);
  std::vector<std::unique_ptr<BlockStep>> blocks;
  int widest = 1;
  for (size_t i = 0; i < steps.steps.size(); ++i) {
    blocks.push_back(std::make_unique<BlockStep>(steps, i, slots, results.data()));
    widest = std::max(widest, itemsize(steps.steps[i].result));
  }
  int64_t bytes = 8;  // an element takes
  for (const StepMemory& memory : steps.memory) bytes += itemsize(memory.dtype);
  const int64_t block_size = steps.way == Steps::Way::alone ? steps.size : kUsualBlock;
  const int64_t slot_bytes = block_size * widest;
  parallel_for(steps.size, elements_of_piece(steps.size, bytes, block_size),
               [&](int64_t begin, int64_t end) {
                 const auto memory = std::make_unique_for_overwrite<char[]>(
                     static_cast<size_t>(slot_bytes * slot_count + 64));
                 char* const first =
                     memory.get() + (64 - reinterpret_cast<uintptr_t>(memory.get()) % 64);
                 for (int64_t at = begin; at < end; at += block_size)
                   for (const auto& block : blocks)
                     block->run(at, std::min(at + block_size, end), first, slot_bytes);
               });
}

namespace {

// The kinds of functions, an element of which takes longer the wider it is.
double time_of(const Step& step) {
  constexpr double kTimes[] = {kHostSimple, kHostDivision, kHostFunction};
  return kTimes[static_cast<int>(kind_of(step))] * itemsize(step.loop) / 4;
}

// Returns the time of a byte where so many are touched, a few of which stay in the second cache.
double time_of_byte(double touched, double near, double far) {
  return near + (far - near) * std::clamp(touched / kHostNearBytes - 1, 0.0, 1.0);
}

// Whether the step reads memory by rows.
bool has_rows(const Steps& steps, const Step& step) {
  if (steps.is_plain || steps.shape.size() < 2) return false;
  const Strides plain = contiguous_strides(steps.shape);
  for (int k = 0; k < step.operand_count; ++k)
    if (const StepOperand& operand = step.operands[k];
        operand.from == StepOperand::From::memory &&
        (steps.memory[operand.index].map >= 0 || steps.memory[operand.index].strides != plain))
      return true;
  return step.target >= 0 && steps.memory[static_cast<size_t>(step.target)].strides != plain;
}

}  // namespace

StepsCost cost_of(const Steps& steps) {
  const auto size = static_cast<double>(steps.size);
  const double rows =
      steps.size == 0 || steps.shape.empty() ? 1 : size / static_cast<double>(steps.shape.back());
  const double blocks = std::ceil(size / static_cast<double>(kUsualBlock));
  double touched = 0;
  uint64_t read = 0;
  for (size_t i = 0; i < steps.steps.size(); ++i)
    touched += size * static_cast<double>(steps.bytes_in_pass(i, read));
  const double block_byte = time_of_byte(touched, kHostBlockNearByte, kHostBlockFarByte);
  StepsCost cost{.together = kHostGroup};
  read = 0;
  double moved_alone = 0;
  for (size_t i = 0; i < steps.steps.size(); ++i) {
    const Step& step = steps.steps[i];
    const double work = size * time_of(step) + (has_rows(steps, step) ? rows * kHostRow : 0);
    const double alone = size * static_cast<double>(steps.bytes_alone(i));
    const double in_pass = size * static_cast<double>(steps.bytes_in_pass(i, read));
    cost.alone +=
        kHostLaunch + std::hypot(work, alone * time_of_byte(alone, kHostNearByte, kHostFarByte));
    cost.together +=
        kHostGroupStep + blocks * kHostBlockStep + std::hypot(work, in_pass * block_byte);
    moved_alone += alone;
  }
  // A single step runs as it would by itself.
  if (steps.steps.size() == 1) cost.together = kHostGroup + cost.alone;
  cost.saved = cost.alone * (1 - kHostDoubt) - cost.together;
  cost.bytes_saved = static_cast<int64_t>(moved_alone - touched);
  return cost;
}

}  // namespace gpuarray::host
