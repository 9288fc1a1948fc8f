// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/known_steps.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <unordered_map>
#include <utility>

#include "backend/cuda/reduce.hpp"
#include "backend/kernel_source.hpp"
#include "core/fork.hpp"

namespace gpuarray {
namespace {

constexpr size_t kMostNamed = 8;  // operations in a label
// Scalars are no operands of kernels, of which alone the number is limited.
constexpr size_t kMostParametersOfSteps = 2 * kMostParameters;

std::string numbered(const char* name, int number) { return name + std::to_string(number); }

// Returns the C++ text of operand k of a step, converted to the dtype that the operation takes.
std::string operand_text(const Step& step, int k) {
  static constexpr const char* kNames[] = {"t", "m", "s"};
  const StepOperand& operand = step.operands[k];
  const std::string name = numbered(kNames[static_cast<int>(operand.from)], operand.index);
  if (operand.dtype == step.natural(k)) return name;
  return "gpuarray::cast<" + source::cpp_type(step.natural(k)) + ">(" + name + ")";
}

std::string step_text(const Step& step, int number) {
  const std::string name = numbered("t", number);
  const std::string stored =
      step.target < 0 ? "" : numbered("m", step.target) + " = " + name + ";\n";
  if (step.reduces()) return stored;  // which the name stands for
  std::string value = operand_text(step, 0);
  for (int k = 1; k < step.operand_count; ++k) value += ", " + operand_text(step, k);
  if (step.op)
    value = std::string("gpuarray::") + info(*step.op).name + "_functor<" +
            source::cpp_type(step.loop) + ">::apply(" + value + ")";
  else if (step.operand_count > 1)
    value = "gpuarray::joined(" + value + ")";
  const std::string type = source::cpp_type(step.result);
  return "const " + type + " " + name + " = gpuarray::cast<" + type + ">(" + value + ");\n" +
         stored;
}

// Returns the names of the operations, "multiply+add+divide".
std::string label_of(const Steps& steps) {
  std::string label;
  const size_t count = steps.steps.size();
  for (size_t i = 0; i < std::min(count, kMostNamed); ++i)
    label += std::string(i == 0 ? "" : "+") + steps.name_of(i);
  return count <= kMostNamed ? label : label + "+" + std::to_string(count - kMostNamed) + " more";
}

// Marks the steps that the marked ones need, up to reductions of rows, whose results have names.
void mark_needed(const Steps& steps, std::vector<bool>& is_needed) {
  for (size_t i = is_needed.size(); i-- > 0;)
    for (int k = 0; k < steps.steps[i].operand_count; ++k)
      if (const StepOperand& operand = steps.steps[i].operands[k];
          is_needed[i] && !steps.steps[i].reduces() && operand.from == StepOperand::From::step)
        is_needed[operand.index] = true;
}

// Returns the statements that compute the results t0, t1, ... of the marked steps, which are the
// first ones, from elements m0, ... of the memory and scalars s0, ..., and store them.
std::string text_of(const Steps& steps, const std::vector<bool>& is_needed, bool stores) {
  std::string text;
  for (size_t i = 0; i < is_needed.size(); ++i) {
    Step step = steps.steps[i];
    if (!stores) step.target = -1;
    if (is_needed[i]) text += step_text(step, static_cast<int>(i));
  }
  return text;
}

// Returns what step i reduces, whose order the parameters `lanes` and `place` with its number tell.
// The parameters begin with the memory `operands`.
RowReduction row_reduction_of(const Steps& steps, size_t i, const std::vector<int>& operands) {
  const Step& step = steps.steps[i];
  const StepOperand& source = step.operands[0];
  const auto [reduction, correction] = steps.reductions[static_cast<size_t>(step.result_of)];
  std::vector<bool> is_needed(i);
  if (source.from == StepOperand::From::step) is_needed[source.index] = true;
  mark_needed(steps, is_needed);
  const auto number = static_cast<int>(i);
  RowReduction made{
      .name = numbered("t", number),
      .reducer = "gpuarray::" + reducer_type(loops_of(reduction), source.dtype, step.loop),
      .operation = text_of(steps, is_needed, false) + "return " + operand_text(step, 0) + ";\n",
      .correction = correction,
      .root = plain_of(reduction) == Reduction::std,
      .sources = {},
      .axis = -1,
      .order = "gpuarray::RowOrder{" + numbered("lanes", number) + ", " +
               numbered("place", number) + "}",
      .value_bytes = itemsize(source.dtype)};
  const auto add = [&](const StepOperand& operand) {
    const auto found = std::ranges::find(operands, int{operand.index});
    if (operand.from == StepOperand::From::memory && found != operands.end())
      made.sources.push_back(static_cast<int>(found - operands.begin()));
  };
  add(source);
  for (size_t j = 0; j < i; ++j)
    for (int k = 0; k < steps.steps[j].operand_count && is_needed[j]; ++k)
      if (!steps.steps[j].reduces()) add(steps.steps[j].operands[k]);
  return made;
}

// Returns the memory that is written, or that is read, each once.
std::vector<int> memory_of(const Steps& steps, bool written) {
  std::vector<int> memory;
  for (const Step& step : steps.steps) {
    if (written && step.target >= 0) memory.push_back(step.target);
    for (int k = 0; k < step.operand_count && !written; ++k)
      if (const StepOperand& operand = step.operands[k];
          operand.from == StepOperand::From::memory &&
          std::ranges::find(memory, operand.index) == memory.end())
        memory.push_back(operand.index);
  }
  return memory;
}

// Two independent hashes of what steps are: their operations, dtypes and the places of their
// operands, but not shapes, addresses and the values of scalars.
struct StepsKey {
  uint64_t a = 0, b = 0;
  bool operator==(const StepsKey&) const = default;

  void add(uint64_t word) {
    a = (a ^ word) * 0x9e3779b97f4a7c15u;
    a ^= a >> 32;
    b = (b + word) * 0xff51afd7ed558ccdu;
    b ^= b >> 29;
  }
};

StepsKey key_of(const Steps& steps) {
  StepsKey key;
  for (const Step& step : steps.steps) {
    uint64_t word = step.op ? static_cast<uint64_t>(*step.op) + 1 : 0;
    word = word << 8 | static_cast<uint64_t>(step.loop);
    word = word << 8 | static_cast<uint64_t>(step.result);
    word = word << 8 | static_cast<uint8_t>(step.target);
    key.add(word << 8 | step.operand_count);
    word = 0;
    for (int k = 0; k < step.operand_count; ++k) {
      word = word << 16 | static_cast<uint64_t>(step.operands[k].index) << 8;
      word |= static_cast<uint64_t>(step.operands[k].dtype) << 2;
      word |= static_cast<uint64_t>(step.operands[k].from);
    }
    key.add(word);
    if (!step.is_row()) continue;
    key.add(static_cast<uint8_t>(step.result_of));
    if (!step.reduces()) continue;
    const auto [reduction, correction] = steps.reductions[static_cast<size_t>(step.result_of)];
    key.add(static_cast<uint64_t>(reduction));
    key.add(std::bit_cast<uint64_t>(correction));
  }
  for (const StepMemory& memory : steps.memory) {
    key.add(static_cast<uint64_t>(memory.dtype) << 1 | (memory.map >= 0));
    if (memory.map >= 0)
      key.add(reinterpret_cast<uintptr_t>(steps.maps[static_cast<size_t>(memory.map)].name));
  }
  for (const Scalar& scalar : steps.scalars) key.add(static_cast<uint64_t>(scalar.dtype));
  return key;
}

// What is known of steps by their keys. When it becomes too much, all is forgotten. Thread-safe.
class KnownTable {
 public:
  std::shared_ptr<KnownSteps> find(const Steps& steps, std::optional<Reduction> reduction) {
    StepsKey key = key_of(steps);
    if (reduction) key.add(static_cast<uint64_t>(*reduction));
    if (std::shared_ptr<KnownSteps> found = find(key)) return found;
    auto made = std::make_shared<KnownSteps>(steps, reduction);  // without the mutex
    const LockGuard lock(mutex_);
    if (known_.size() >= kMost) known_.clear();
    return known_.try_emplace(key, std::move(made)).first->second;
  }

 private:
  std::shared_ptr<KnownSteps> find(const StepsKey& key) {
    const LockGuard lock(mutex_);
    const auto found = known_.find(key);
    return found == known_.end() ? nullptr : found->second;
  }

  static constexpr size_t kMost = 4096;
  struct Hash {
    size_t operator()(const StepsKey& key) const { return key.a; }
  };
  HeldAtFork mutex_;
  std::unordered_map<StepsKey, std::shared_ptr<KnownSteps>, Hash> known_ GUARDED_BY(mutex_);
};

}  // namespace

KnownSteps::KnownSteps(const Steps& steps, std::optional<Reduction> reduction) {
  std::vector<ExpressionParameter> parameters;
  const auto add = [&](const char* name, int number, DType dtype, Role role, bool written) {
    parameters.push_back({numbered(name, number), dtype, dtype, role, written});
  };
  for (bool written : {true, false})
    for (int k : memory_of(steps, written)) {
      operands.push_back(k);
      add("m", k, steps.memory[static_cast<size_t>(k)].dtype, Role::element, written);
    }
  for (size_t k = 0; k < steps.scalars.size(); ++k)
    add("s", static_cast<int>(k), steps.scalars[k].dtype, Role::scalar, false);
  const auto count = static_cast<int>(steps.steps.size());
  for (int i = 0; i < count; ++i)
    if (steps.steps[static_cast<size_t>(i)].reduces())
      for (const char* name : {"lanes", "place"}) add(name, i, DType::uint32, Role::scalar, false);
  if (operands.size() > kMostParameters || parameters.size() > kMostParametersOfSteps) return;
  ExpressionText text;
  text.name = label_of(steps);
  text.is_ordered = false;
  std::vector<bool> is_written(steps.steps.size());
  for (size_t i = 0; i < is_written.size(); ++i) {
    is_written[i] = steps.steps[i].target >= 0 || (reduction && i + 1 == is_written.size());
    if (steps.steps[i].reduces()) text.reductions.push_back(row_reduction_of(steps, i, operands));
  }
  mark_needed(steps, is_written);
  text.operation = text_of(steps, is_written, true);
  if (reduction) {
    text.name += std::string("+") + info(*reduction).name;
    text.operation += "return " + numbered("t", static_cast<int>(steps.steps.size()) - 1) + ";\n";
  }
  expression =
      std::make_shared<Expression>(std::move(text), std::move(parameters), kMostParametersOfSteps);
}

std::shared_ptr<KnownSteps> known_steps(const Steps& steps, std::optional<Reduction> reduction) {
  static auto& known = *new KnownTable;
  return known.find(steps, reduction);
}

void add_scalars(Constants& constants, const Steps& steps) {
  for (const Scalar& scalar : steps.scalars)
    constants.add(scalar.bytes, static_cast<size_t>(itemsize(scalar.dtype)));
}

void add_orders(Constants& constants, const Steps& steps, Device device) {
  for (size_t i = 0; i < steps.steps.size(); ++i) {
    if (!steps.steps[i].reduces()) continue;
    const ReducePlan plan = steps.plan_of(i, nullptr);
    const Reduction reduction =
        steps.reductions[static_cast<size_t>(steps.steps[i].result_of)].reduction;
    const uint32_t lanes = plan_cuda_reduction(reduction, plan, device).params.lanes;
    const auto place = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(plan.source) /
                                             static_cast<uintptr_t>(itemsize(plan.source_dtype)));
    for (const uint32_t word : {lanes, place}) constants.add(&word, sizeof word);
  }
}

}  // namespace gpuarray
