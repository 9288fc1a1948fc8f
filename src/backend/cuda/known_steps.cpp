// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/known_steps.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

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
  std::string value = operand_text(step, 0);
  if (step.op) {
    for (int k = 1; k < step.operand_count; ++k) value += ", " + operand_text(step, k);
    value = std::string("gpuarray::") + info(*step.op).name + "_functor<" +
            source::cpp_type(step.loop) + ">::apply(" + value + ")";
  }
  const std::string type = source::cpp_type(step.result);
  std::string text = "const " + type + " " + numbered("t", number) + " = gpuarray::cast<" + type +
                     ">(" + value + ");\n";
  if (step.target >= 0) text += numbered("m", step.target) + " = " + numbered("t", number) + ";\n";
  return text;
}

// Returns the names of the operations, "multiply+add+divide".
std::string label_of(const Steps& steps) {
  std::string label;
  const size_t count = steps.steps.size();
  for (size_t i = 0; i < std::min(count, kMostNamed); ++i)
    label += std::string(i == 0 ? "" : "+") + steps.name_of(i);
  return count <= kMostNamed ? label : label + "+" + std::to_string(count - kMostNamed) + " more";
}

// Returns the statements that compute the results t0, t1, ... from elements m0, ... of the memory
// and scalars s0, ...
std::string text_of(const Steps& steps) {
  std::string text;
  int number = 0;
  for (const Step& step : steps.steps) text += step_text(step, number++);
  return text;
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
  if (operands.size() > kMostParameters) return;
  ExpressionText text;
  text.name = label_of(steps);
  text.is_ordered = false;
  text.operation = text_of(steps);
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

}  // namespace gpuarray
