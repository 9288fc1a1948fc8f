// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/steps.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "backend/cuda/elementwise_kernels.hpp"
#include "backend/cuda/expression.hpp"
#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/known_steps.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/cuda/program.hpp"
#include "backend/grid.hpp"
#include "backend/kernel_source.hpp"
#include "core/divide.hpp"
#include "core/layout.hpp"
#include "kernels/tuning.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/device/device_limits.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/driver/driver_error.hpp"
#include "runtime/driver/nvrtc.hpp"

namespace gpuarray {
namespace {

constexpr int kThreadBytes = 32;         // of each operand, as in the interpreter
constexpr int kUnaskedBytes = 48 << 10;  // of shared memory, which any kernel may use
constexpr int kMostCompiledDims = 6;
// The interpreter computes elements of one or two bytes in words, which on more of them takes
// longer than to run the steps one by one. H200, 2026-11, two additions of 2^26 uint8: 0.38 ms in
// the interpreter, 0.11 ms one by one.
constexpr int64_t kInterpretSmallUpTo = int64_t{1} << 20;

// The most memory for what steps that run one by one leave between them.
constexpr int64_t kMostTemporaryBytes = int64_t{64} << 20;

struct InterpreterKernel {
  static constexpr size_t kCount = 8;

  uint32_t word;
  bool is_flat;
  bool is_small;  // takes a SmallProgram

  size_t index() const {
    return (word == 8 ? 4u : 0u) + (is_flat ? 2u : 0u) + (is_small ? 1u : 0u);
  }
  BuiltKernel built() const {
    const std::string bytes = std::to_string(word);
    return {"interpreter_" + bytes,
            std::string("interpreter_") + (is_small ? "small_" : "") + walk() + "_" + bytes};
  }
  std::string text() const {
    const std::string params = std::string(is_flat ? "InterpreterFlat<" : "InterpreterRows<") +
                               (is_small ? "SmallProgram>" : "Program>");
    return source::kernel("#define GPUARRAY_ONLY_WORD " + std::to_string(word) + "\n" +
                              source::include("interpreter/interpreter_walks.cuh"),
                          source::by_value(params),
                          std::string("interpreter::") + walk() +
                              (word == 4 ? "<uint32_t>" : "<uint64_t>") + "(params)");
  }

 private:
  const char* walk() const { return is_flat ? "flat" : "rows"; }
};

constinit KernelFamily<InterpreterKernel> kernels;

// Lets the kernel have as much shared memory as a launch asks for. Returns false if the device has
// not so much.
bool allow_shared_bytes(KernelHandle kernel, const InterpreterKernel& key, int bytes,
                        Device device) {
  struct Asked {
    std::atomic<bool> is_done[InterpreterKernel::kCount];
  };
  static constinit PerDevice<Asked> asked;
  if (bytes <= kUnaskedBytes) return true;
  const int most =
      std::min(device_limits(device).shared_bytes, kMostSlots * kThreadBytes * kInterpreterBlock);
  if (bytes > most) return false;
  std::atomic<bool>& is_done =
      asked.get(device.index, [](int) { return Asked(); }).is_done[key.index()];
  if (is_done) return true;
  DeviceGuard on(device);
  GPUARRAY_CHECK(cuFuncSetAttribute(static_cast<CUfunction>(kernel.kernel),
                                    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most));
  is_done = true;
  return true;
}

// A launch of a program.
class ProgramLaunch {
 public:
  // The known steps must have a program.
  ProgramLaunch(const Steps& steps, const KnownSteps& known)
      : steps_(steps), made_(*known.program), word_(known.words & 4 ? 4 : 8), label_(known.label) {}

  // Returns false, with nothing queued, if the arrays need another walk than there is.
  bool run(const Stream& stream) {
    return fits<SmallProgram>() ? run_as<SmallProgram>(stream) : run_as<Program>(stream);
  }

 private:
  template <class Program>
  bool fits() const {
    return made_.inputs.size() <= Program::most_inputs &&
           made_.outputs.size() <= Program::most_outputs &&
           steps_.scalars.size() <= Program::most_scalars &&
           made_.program.instruction_count <= Program::most_instructions;
  }

  template <class Program>
  bool run_as(const Stream& stream) {
    constexpr bool is_small = std::is_same_v<Program, SmallProgram>;
    if (is_flat()) {
      InterpreterFlat<Program> params;
      params.size = steps_.size;
      const int64_t elements = kThreadBytes / word_ * int64_t{kInterpreterBlock};
      return launch_with(params, divide_up(steps_.size, elements), {word_, true, is_small}, stream);
    }
    InterpreterRows<Program> params;
    int64_t blocks = 0;
    return fill(params, blocks) && launch_with(params, blocks, {word_, false, is_small}, stream);
  }

  const StepMemory& memory(int k) const { return steps_.memory[static_cast<size_t>(k)]; }

  template <class Visit>
  void for_each_memory(const Visit& visit) const {
    for (int k : made_.inputs) visit(memory(k));
    for (int k : made_.outputs) visit(memory(k));
  }

  // Whether every array is contiguous and has aligned vectors.
  bool is_flat() const {
    bool is_aligned = steps_.is_plain;
    for_each_memory([&](const StepMemory& each) {
      const auto bytes =
          static_cast<uintptr_t>(16 / word_) * static_cast<uintptr_t>(itemsize(each.dtype));
      is_aligned = is_aligned && reinterpret_cast<uintptr_t>(each.data) % bytes == 0;
    });
    return is_aligned;
  }

  // Plans the walk by rows. Returns false if there are too many axes or rows.
  template <class Params>
  bool fill(Params& params, int64_t& blocks) const {
    Shape shape = steps_.shape;
    std::vector<Strides> strides;
    for (int k : made_.outputs) strides.push_back(memory(k).strides);
    for (int k : made_.inputs) strides.push_back(memory(k).strides);
    collapse(shape, strides);
    std::ranges::rotate(strides, strides.begin() + static_cast<int64_t>(made_.outputs.size()));
    if (shape.size() > kInterpreterDims) return false;
    params.outer = std::max(shape.size() - 1, 0);
    params.columns = shape.empty() ? 1 : shape.back();
    const int64_t rows = steps_.size / params.columns;
    const int64_t elements = kThreadBytes / word_;
    const int threads = static_cast<int>(
        std::clamp<int64_t>(divide_up(params.columns, elements), kWarp, kInterpreterBlock));
    params.log_width = std::bit_width(static_cast<unsigned>(threads - 1));
    const int64_t row_blocks = divide_up(params.columns, elements << params.log_width);
    blocks = row_blocks * divide_up(rows, kInterpreterBlock >> params.log_width);
    if (rows > kMostBlocks || blocks > kMostBlocks) return false;
    params.rows = static_cast<uint32_t>(rows);
    params.row_blocks = Divisor::of(static_cast<uint32_t>(row_blocks));
    for (int axis = 1; axis < params.outer; ++axis)
      params.extents[axis - 1] = Divisor::of(static_cast<uint32_t>(shape[axis]));
    for (size_t k = 0; k < strides.size(); ++k) {
      params.steps[k] = shape.empty() ? 0 : strides[k].back();
      for (int axis = 0; axis < kInterpreterDims - 1; ++axis)
        params.strides[k][axis] = axis < params.outer ? strides[k][axis] : 0;
    }
    return true;
  }

  template <class Params>
  bool launch_with(Params& params, int64_t blocks, const InterpreterKernel& key,
                   const Stream& stream) const {
    if (blocks > kMostBlocks) return false;
    const KernelHandle kernel = kernels.find(key, stream.device());
    const int shared = made_.slots * kThreadBytes * kInterpreterBlock;
    if (!allow_shared_bytes(kernel, key, shared, stream.device())) return false;
    auto& program = params.program;
    program.input_count = made_.program.input_count;
    program.instruction_count = made_.program.instruction_count;
    program.has_small_inputs = false;
    std::copy_n(made_.program.code, program.instruction_count, program.code);
    for (size_t k = 0; k < made_.inputs.size(); ++k) {
      program.inputs[k] = memory(made_.inputs[k]).data;
      const int bytes = itemsize(memory(made_.inputs[k]).dtype);
      program.input_bytes[k] = static_cast<uint8_t>(bytes);
      program.has_small_inputs |= static_cast<uint32_t>(bytes) < key.word;
    }
    for (size_t k = 0; k < made_.outputs.size(); ++k) {
      program.outputs[k] = memory(made_.outputs[k]).data;
      program.output_bytes[k] = static_cast<uint8_t>(itemsize(memory(made_.outputs[k]).dtype));
    }
    for (size_t k = 0; k < steps_.scalars.size(); ++k)
      std::memcpy(&program.scalars[k], steps_.scalars[k].bytes, sizeof(uint64_t));
    void* arguments[] = {&params};
    LaunchShape shape = LaunchShape::linear(blocks, kInterpreterBlock);
    shape.shared_bytes = static_cast<uint32_t>(shared);
    launch(kernel, shape, arguments, stream, {label_, steps_.steps.back().result, steps_.shape});
    return true;
  }

  const Steps& steps_;
  const CompiledProgram& made_;
  const uint32_t word_;
  const char* const label_;
};

// Returns how often the steps have to run before they are worth a kernel of their own.
int64_t runs_before_compiling(const Steps& steps, const KnownSteps& known) {
  if (known.words == 0 || steps.size >= kCompileFrom) return kRunsBeforeCompiling;
  return kSmallStepsBeforeCompiling / static_cast<int64_t>(steps.steps.size());
}

// Runs the steps by a kernel of their own. Returns false, with nothing queued, if there is none or
// it is not compiled yet, for which the steps must have run before and be worth it.
bool run_compiled(const Steps& steps, KnownSteps& known, const StreamPtr& stream) {
  const bool is_now = steps.way == Steps::Way::compiled;
  if (!is_now && ++known.runs < runs_before_compiling(steps, known)) return false;
  if (!nvrtc_library.available() || steps.shape.size() > kMostCompiledDims) return false;
  const std::shared_ptr<Expression>& expression = known.expression(steps);
  if (expression == nullptr) return false;
  ExpressionPlan plan;
  fill_plan(plan, steps);
  if (!is_now) return cuda_expression_if_compiled(expression, plan, stream);
  cuda_expression(*expression, plan, stream);
  return true;
}

// Whether the interpreter takes less time than each step by itself.
bool is_worth_interpreting(const Steps& steps) {
  int64_t bytes = 0;
  for (const StepMemory& memory : steps.memory) bytes += itemsize(memory.dtype);
  return steps.size <= kInterpretSmallUpTo ||
         bytes >= 4 * static_cast<int64_t>(steps.memory.size());
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

uint32_t cuda_step_kinds(const Step& step) {
  return nvrtc_library.available() ? ~0u : program_words(step);
}

void cuda_steps(const Steps& steps, const StreamPtr& stream) {
  if (steps.steps.size() > 1 && steps.way != Steps::Way::alone) {
    KnownSteps& known = known_steps(steps);
    if (run_compiled(steps, known, stream)) return;
    if (known.program && is_worth_interpreting(steps) && ProgramLaunch(steps, known).run(*stream))
      return;
  }
  run_in_parts(steps, stream);
}

}  // namespace gpuarray
