// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/program.hpp"

#include <algorithm>
#include <array>

namespace gpuarray {
namespace {

constexpr uint32_t kBothWords = 4 | 8;

// A code, and the words that it is for.
struct Code {
  StepCode code = StepCode::load;
  uint32_t words = 0;
  bool is_frequent = false;
};

// The codes of all operations and conversions.
struct Codes {
  Code steps[kOpCount][kDTypeCount];
  Code casts[kDTypeCount][kDTypeCount];

  constexpr Codes() {
#define GPUARRAY_STEP(name, dtype, T) \
  add(Op::name, DType::dtype, {StepCode::name##_##dtype, word, false});
#define GPUARRAY_FREQUENT_STEP(name, dtype, T) \
  add(Op::name, DType::dtype, {StepCode::name##_##dtype, word, true});
#define GPUARRAY_STEP_CAST(from, From, to, To) \
  add(DType::from, DType::to, {StepCode::cast_##from##_##to, word});
    {
      constexpr uint32_t word = 4;
#define GPUARRAY_ONLY_WORD 4
#include "kernels/interpreter/steps.def"
#undef GPUARRAY_ONLY_WORD
    }
#define GPUARRAY_STEP(name, dtype, T) \
  add(Op::name, DType::dtype, {StepCode::name##_##dtype, word, false});
#define GPUARRAY_FREQUENT_STEP(name, dtype, T) \
  add(Op::name, DType::dtype, {StepCode::name##_##dtype, word, true});
#define GPUARRAY_STEP_CAST(from, From, to, To) \
  add(DType::from, DType::to, {StepCode::cast_##from##_##to, word});
    {
      constexpr uint32_t word = 8;
#define GPUARRAY_ONLY_WORD 8
#include "kernels/interpreter/steps.def"
#undef GPUARRAY_ONLY_WORD
    }
  }

 private:
  constexpr void add(Op op, DType loop, Code code) {
    add(steps[static_cast<int>(op)][static_cast<int>(loop)], code);
  }
  constexpr void add(DType from, DType to, Code code) {
    add(casts[static_cast<int>(from)][static_cast<int>(to)], code);
  }
  static constexpr void add(Code& entry, Code code) {
    code.words |= entry.words;
    entry = code;
  }
};

constexpr Codes kCodes;

// The words that hold an element.
uint32_t words_for(DType dtype) {
  if (itemsize(dtype) > 8) return 0;
  return itemsize(dtype) == 8 ? 8 : kBothWords;
}

Code cast_code(DType from, DType to) {
  if (from == to) return {StepCode::load, words_for(from)};
  return kCodes.casts[static_cast<int>(from)][static_cast<int>(to)];
}

Code step_code(const Step& step) {
  if (!step.op) return {StepCode::load, kBothWords};
  if (info(*step.op).rule == OpRule::SELECT && step.loop != DType::bool_)
    return {StepCode::where, words_for(step.loop)};
  return kCodes.steps[static_cast<int>(*step.op)][static_cast<int>(step.loop)];
}

DType made_by(const Step& step) {
  return step.op ? loop_of(*step.op, step.loop)->result : step.result;
}

// A value of the program: an input, or what an instruction makes; or else a scalar.
struct Value {
  enum class Kind : uint8_t { none, input, made, scalar } kind = Kind::none;
  uint8_t index = 0;
  bool operator==(const Value&) const = default;
};

// An instruction before its operands have places.
struct Line {
  Code code;
  Value operands[kMostOperands];
  int8_t target = -1;    // memory
  uint8_t last = 0;      // the last line that reads the result
  bool is_kept = false;  // whether it needs a slot
};

class Compiler {
 public:
  explicit Compiler(const Steps& steps) : steps_(steps) {}

  std::optional<CompiledProgram> compile() {
    if (steps_.scalars.size() > kMostStepScalars) return std::nullopt;
    for (const Step& step : steps_.steps)
      if (!add(step)) return std::nullopt;
    find_uses();
    if (!assign()) return std::nullopt;
    Program& program = made_.program;
    program.input_count = static_cast<uint32_t>(made_.inputs.size());
    program.instruction_count = static_cast<uint32_t>(count_);
    return std::move(made_);
  }

 private:
  // Adds the lines of a step. Returns false if there are too many, or too much memory.
  bool add(const Step& step) {
    Line line{step_code(step), {}};
    for (int k = 0; k < step.operand_count; ++k)
      if (!add_operand(step, k, line.operands[k])) return false;
    if (!push(line)) return false;
    if (const DType made = made_by(step); made != step.result)
      if (!push({cast_code(made, step.result), {last_made()}})) return false;
    made_by_step_.push_back(last_made());
    if (step.target < 0) return true;
    lines_[count_ - 1].target = step.target;
    made_.outputs.push_back(step.target);
    return made_.outputs.size() <= kMostOutputs;
  }

  bool add_operand(const Step& step, int k, Value& value) {
    const StepOperand& operand = step.operands[k];
    if (operand.from == StepOperand::From::scalar) {
      value = {Value::Kind::scalar, operand.index};
      return true;
    }
    if (operand.from == StepOperand::From::step)
      value = made_by_step_[operand.index];
    else if (!add_input(operand.index, value))
      return false;
    if (operand.dtype == step.natural(k)) return true;
    if (!push({cast_code(operand.dtype, step.natural(k)), {value}})) return false;
    value = last_made();
    return true;
  }

  bool add_input(int memory, Value& value) {
    const auto found = std::ranges::find(made_.inputs, memory);
    value = {Value::Kind::input, static_cast<uint8_t>(found - made_.inputs.begin())};
    if (found == made_.inputs.end()) made_.inputs.push_back(memory);
    return made_.inputs.size() <= kMostInputs;
  }

  bool push(const Line& line) {
    if (count_ == lines_.size()) return false;
    lines_[count_++] = line;
    return true;
  }
  Value last_made() const { return {Value::Kind::made, static_cast<uint8_t>(count_ - 1)}; }

  // Finds which values are read by other lines than the next, where they are in the accumulator.
  void find_uses() {
    for (size_t i = 0; i < count_; ++i)
      for (int k = 0; k < kMostOperands; ++k) {
        const Value value = lines_[i].operands[k];
        if (value.kind == Value::Kind::input) input_last_[value.index] = static_cast<uint8_t>(i);
        if (value.kind != Value::Kind::made) continue;
        Line& source = lines_[value.index];
        source.last = static_cast<uint8_t>(i);
        source.is_kept = source.is_kept || value.index + 1u != i || k == 2;
      }
  }

  // Whether operand k of line i is what the line before left in the accumulator.
  bool is_accumulated(size_t i, int k) const {
    const Value& value = lines_[i].operands[k];
    return value.kind == Value::Kind::made && value.index + 1u == i && k < 2;
  }

  // Returns the number of the slot or scalar of a value.
  uint16_t place(const Value& value) const {
    return value.kind == Value::Kind::made ? place_of_[value.index] : value.index;
  }

  Instruction instruction(size_t i) const {
    const Line& line = lines_[i];
    const auto& [a, x, y] = line.operands;
    Instruction made{};
    made.code = line.code.code;
    if (!is_accumulated(i, 0)) {
      made.flags |= kLoads;
      made.a = place(a);
      if (a.kind == Value::Kind::scalar) made.flags |= kLoadsScalar;
    }
    if (x.kind == Value::Kind::none) {
      made.form = StepForm::nothing;
    } else if (is_accumulated(i, 1)) {
      made.form = StepForm::before;
    } else {
      made.x = place(x);
      if (x.kind == Value::Kind::scalar)
        made.form = line.code.is_frequent ? StepForm::frequent_scalar : StepForm::scalar;
      else
        made.form = line.code.is_frequent ? StepForm::frequent_slot : StepForm::slot;
    }
    made.y = place(y);
    if (y.kind == Value::Kind::scalar) made.flags |= kTakesScalarY;
    return made;
  }

  // Gives values their slots, and writes the instructions. Returns false if there are too few
  // slots.
  bool assign() {
    std::array<bool, kMostSlots> taken{};
    for (size_t k = 0; k < made_.inputs.size(); ++k) taken[k] = true;
    made_.slots = static_cast<int>(made_.inputs.size());
    uint8_t output = 0;
    for (size_t i = 0; i < count_; ++i) {
      const Line& line = lines_[i];
      Instruction& written = made_.program.code[i] = instruction(i);
      for (const Value& value : line.operands) {
        if (value.kind == Value::Kind::input && input_last_[value.index] == i)
          taken[value.index] = false;
        if (value.kind == Value::Kind::made && lines_[value.index].is_kept &&
            lines_[value.index].last == i)
          taken[place_of_[value.index]] = false;
      }
      if (line.is_kept) {
        const auto free = std::ranges::find(taken, false);
        if (free == taken.end()) return false;
        *free = true;
        written.flags |= kKeeps;
        place_of_[i] = static_cast<uint8_t>(free - taken.begin());
        written.slot = place_of_[i];
        made_.slots = std::max(made_.slots, written.slot + 1);
      }
      if (line.target < 0) continue;
      written.flags |= kWrites;
      written.output = output++;
    }
    return true;
  }

  const Steps& steps_;
  CompiledProgram made_;
  std::array<Line, kMostInstructions> lines_;
  size_t count_ = 0;
  std::vector<Value> made_by_step_;
  std::array<uint8_t, kMostInputs + 1> input_last_{};
  std::array<uint8_t, kMostInstructions> place_of_{};
};

}  // namespace

uint32_t program_words(const Step& step) {
  uint32_t words = step_code(step).words & cast_code(made_by(step), step.result).words;
  for (int k = 0; k < step.operand_count; ++k)
    if (step.operands[k].from != StepOperand::From::scalar)
      words &= cast_code(step.operands[k].dtype, step.natural(k)).words;
  return words & words_for(step.result);
}

std::optional<CompiledProgram> compile_program(const Steps& steps) {
  return Compiler(steps).compile();
}

}  // namespace gpuarray
