// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/known_steps.hpp"

#include <algorithm>
#include <utility>

#include "backend/kernel_source.hpp"
#include "core/layout.hpp"
#include "runtime/stream/launch_log.hpp"

namespace gpuarray {
namespace {

constexpr size_t kMostNamed = 8;  // operations in a label

std::string name_of(const Step& step) { return step.op ? info(*step.op).name : "cast"; }

// The memory that is written, and that is read, each once.
struct Roles {
  std::vector<int> written, read;
};

Roles roles_of(const Steps& steps) {
  Roles roles;
  for (const Step& step : steps.steps) {
    if (step.target >= 0) roles.written.push_back(step.target);
    for (int k = 0; k < step.operand_count; ++k)
      if (const int memory = step.operands[k].index;
          step.operands[k].from == StepOperand::From::memory &&
          std::ranges::find(roles.read, memory) == roles.read.end())
        roles.read.push_back(memory);
  }
  return roles;
}

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

ExpressionParameter parameter(const char* name, int number, DType dtype, Role role, bool written) {
  return {numbered(name, number), dtype, dtype, role, written};
}

std::shared_ptr<Expression> make_expression(const Steps& steps) {
  const Roles roles = roles_of(steps);
  if (roles.written.size() + roles.read.size() + steps.scalars.size() > kMostParameters)
    return nullptr;
  ExpressionText text;
  text.name = label_of(steps);
  text.preamble = "#include \"kernels/element/functors.cuh\"\n";
  text.is_ordered = false;
  text.operation = text_of(steps);
  std::vector<ExpressionParameter> parameters;
  for (const auto& [memories, is_written] :
       {std::pair(&roles.written, true), std::pair(&roles.read, false)})
    for (int k : *memories)
      parameters.push_back(
          parameter("m", k, steps.memory[static_cast<size_t>(k)].dtype, Role::element, is_written));
  for (size_t k = 0; k < steps.scalars.size(); ++k)
    parameters.push_back(
        parameter("s", static_cast<int>(k), steps.scalars[k].dtype, Role::scalar, false));
  return std::make_shared<Expression>(std::move(text), std::move(parameters));
}

}  // namespace

std::string label_of(const Steps& steps) {
  std::string label;
  const size_t count = steps.steps.size();
  for (size_t i = 0; i < std::min(count, kMostNamed); ++i)
    label += (i == 0 ? "" : "+") + name_of(steps.steps[i]);
  return count <= kMostNamed ? label : label + "+" + std::to_string(count - kMostNamed) + " more";
}

std::string text_of(const Steps& steps) {
  std::string text;
  int number = 0;
  for (const Step& step : steps.steps) text += step_text(step, number++);
  return text;
}

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
  for (const StepMemory& memory : steps.memory) key.add(static_cast<uint64_t>(memory.dtype));
  for (const Scalar& scalar : steps.scalars) key.add(static_cast<uint64_t>(scalar.dtype));
  return key;
}

KnownSteps::KnownSteps(const Steps& steps) : expression(make_expression(steps)) {}

std::shared_ptr<KnownSteps> known_steps(const Steps& steps) {
  static auto& known = *new KnownTable<KnownSteps>;
  return known.find(key_of(steps), steps);
}

void fill_plan(ExpressionPlan& plan, const Steps& steps) {
  const Roles roles = roles_of(steps);
  plan.size = steps.size;
  plan.target_shape = &steps.shape;
  plan.shape = steps.is_plain ? Shape{steps.size} : steps.shape;
  const auto add = [&](int k) {
    const StepMemory& memory = steps.memory[static_cast<size_t>(k)];
    const int at = plan.operand_count++;
    plan.dtypes[at] = memory.dtype;
    plan.data[at] = memory.data;
    plan.strides[at] = steps.is_plain ? Strides{1} : memory.strides;
  };
  for (int k : roles.written) {
    plan.fresh |= 1u << plan.operand_count;  // what was there is not read
    add(k);
  }
  for (int k : roles.read) add(k);
  if (!steps.is_plain)
    collapse(plan.shape, std::span(plan.strides, static_cast<size_t>(plan.operand_count)));
  plan.constants.add(plan.size);
  for (const Scalar& scalar : steps.scalars)
    plan.constants.add(scalar.bytes, static_cast<size_t>(itemsize(scalar.dtype)));
}

}  // namespace gpuarray
