// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Reductions that compute what they reduce by the steps that would have stored it.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/cuda/expression.hpp"
#include "backend/cuda/known_steps.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/cuda/reduce.hpp"
#include "backend/expression.hpp"
#include "backend/kernel_source.hpp"
#include "backend/steps.hpp"
#include "core/layout.hpp"
#include "kernels/tuning.hpp"
#include "runtime/driver/nvrtc.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {
namespace {

constexpr int kVectorBytes = 16;

// How the rows of what is reduced lie in an operand.
struct RowsOf {
  int64_t row_stride;  // elements
  bool is_single;      // whether there is one element for a row, else they lie side by side
  bool is_aligned;     // whether loads are aligned to their bytes, or to 16
};

// Returns the one stride of the axes, 0 if there are none; nullopt if they have no common one.
std::optional<int64_t> common_stride(Shape shape, Strides strides) {
  merge_axes(shape, std::span(&strides, 1));
  if (shape.size() > 1) return std::nullopt;
  return shape.empty() ? 0 : strides[0];
}

// Views memory of a shape as rows of `columns` elements, in C order. Returns nullopt if the rows
// are not of one stride, or their elements neither lie side by side nor are one.
std::optional<RowsOf> rows_of(const StepMemory& memory, const Shape& shape, int64_t columns) {
  if (memory.strides == contiguous_strides(shape)) return RowsOf{columns, false, false};
  int axis = shape.size();
  int64_t inner = 1;
  while (axis > 0 && inner < columns) inner *= shape[--axis];
  if (inner != columns) return std::nullopt;
  Shape shapes[2];
  Strides strides[2];
  for (int k = 0; k < shape.size(); ++k) {
    shapes[k >= axis].push_back(shape[k]);
    strides[k >= axis].push_back(memory.strides[k]);
  }
  const std::optional<int64_t> row = common_stride(shapes[0], strides[0]);
  const std::optional<int64_t> step = common_stride(shapes[1], strides[1]);
  if (!row || !step || *step < 0 || *step > 1) return std::nullopt;
  return RowsOf{*row, *step == 0, false};
}

// Whether each output reduces a column of the rows instead of a row.
bool are_columns(const ReduceParams& params) { return params.path == ReducePath::columns; }

int64_t row_length(const ReduceParams& params) {
  return are_columns(params) ? params.outputs : params.count;
}

// Returns the elements of a load: 16 bytes of what is reduced. Along rows whose order does not
// change the result they are no more than 16 bytes of the widest operand, so that neighbouring
// threads read neighbouring memory.
int64_t load_length(const ReduceParams& params, const Steps& steps, const std::vector<RowsOf>& rows,
                    DType source, DType loop) {
  const int64_t all = kVectorBytes / itemsize(source);
  if (are_columns(params)) return std::min<int64_t>(all, 4);
  if (is_inexact(source) || is_inexact(loop)) return all;
  int64_t widest = itemsize(source);
  for (size_t k = 0; k < rows.size(); ++k)
    if (!rows[k].is_single) widest = std::max<int64_t>(widest, itemsize(steps.memory[k].dtype));
  return kVectorBytes / widest;
}

// Whether the operand's elements are aligned where a load of `count` of those that are reduced
// begins, in every row.
bool is_aligned(const StepMemory& memory, const RowsOf& rows, const ReducePlan& plan,
                const ReduceParams& params, int64_t count) {
  const int64_t size = itemsize(plan.source_dtype), own = itemsize(memory.dtype);
  const int64_t unit = std::min<int64_t>(kVectorBytes, count * own);
  if (are_columns(params))
    return reinterpret_cast<uintptr_t>(memory.data) % static_cast<uintptr_t>(unit) == 0 &&
           rows.row_stride * own % unit == 0;
  const auto place = static_cast<int64_t>(reinterpret_cast<uintptr_t>(plan.source)) / size;
  const int64_t head = (count - place % count) % count;
  const auto data = static_cast<int64_t>(reinterpret_cast<uintptr_t>(memory.data));
  return (data + head * own) % unit == 0 &&
         (params.outputs == 1 || (rows.row_stride - params.count) * own % unit == 0);
}

// A kernel that reduces what steps compute.
struct ReducedSteps {
  ReducedSteps(const Steps& steps, Reduction reduction) {
    ExpressionText text;
    text.name = label_of(steps) + "+" + info(reduction).name;
    kernels = std::make_shared<Expression>(std::move(text), std::vector<ExpressionParameter>());
  }

  std::shared_ptr<Expression> kernels;  // keeps them by device; its text is not used
};

// What differs from kernel to kernel.
struct Variant {
  Reduction reduction;
  DType source, loop;
  int64_t load;  // elements; it follows from the others and from the steps
  bool are_columns;
  std::vector<RowsOf> rows;  // by the memory of the steps

  StepsKey key(const Steps& steps) const {
    StepsKey key = key_of(steps);
    key.add(static_cast<uint64_t>(reduction) << 8 | static_cast<uint64_t>(loop));
    uint64_t bits = are_columns ? 3 : 2;
    for (const RowsOf& each : rows)
      bits = bits << 2 | uint64_t{each.is_single} << 1 | uint64_t{each.is_aligned};
    key.add(bits);
    return key;
  }
};

std::string numbered(const char* name, size_t number) { return name + std::to_string(number); }

// The parts of the source that follow from the operands.
struct Parts {
  std::string constants;  // fields of the kernel's second parameter
  std::string loaded;     // fields of what a load leaves in registers
  std::string loads;      // what they are made of
  std::string fields;     // of a row
  std::string first;      // what those of row `row` are made of
  std::string later;      // what those of the row `n` elements on are made of
  std::string names;      // declarations of the operands of an element
};

void add_operand(Parts& parts, const std::string& name, const std::string& type,
                 const RowsOf& rows) {
  const std::string element = "stored_t<" + type + ">";
  parts.constants += "  ComputedOperand<" + type + "> " + name + ";\n";
  parts.first += ", " + std::string(rows.is_single ? "*" : "") + "constants." + name + ".row(row)";
  parts.names += "    const " + type + " " + name + " = ";
  if (rows.is_single) {
    parts.fields += "  " + element + " " + name + ";\n";
    parts.later += ", " + name;
    parts.names += "this->" + name + ";\n";
    return;
  }
  const std::string neighbours =
      "Neighbours<" + type + ", count, " + (rows.is_aligned ? "true>" : "false>");
  parts.loaded += "    " + neighbours + " " + name + ";\n";
  parts.loads += (parts.loads.empty() ? "" : ", ") + neighbours + "(" + name + " + at)";
  parts.fields += "  const " + element + "* " + name + ";\n";
  parts.later += ", " + name + " + n";
  parts.names += "loaded." + name + "[k];\n";
}

Parts parts_of(const Steps& steps, const Variant& variant) {
  Parts parts;
  for (size_t k = 0; k < steps.memory.size(); ++k)
    add_operand(parts, numbered("m", k), source::cpp_type(steps.memory[k].dtype), variant.rows[k]);
  for (size_t k = 0; k < steps.scalars.size(); ++k) {
    const std::string type = source::cpp_type(steps.scalars[k].dtype), name = numbered("s", k);
    parts.constants += "  " + type + " " + name + ";\n";
    parts.names += "    const " + type + " " + name + " = constants." + name + ";\n";
  }
  return parts;
}

std::string source_of(const Steps& steps, const Variant& variant) {
  const Parts parts = parts_of(steps, variant);
  const std::string value = "stored_t<" + source::cpp_type(variant.source) + ">";
  const std::string reducer =
      reducer_type(loops_of(variant.reduction), variant.source, variant.loop);
  return source::include("reduce/reduce_computed.cuh") +
         "using namespace gpuarray;\n"
         "struct Constants {\n" +
         parts.constants +
         "};\n"
         "struct Row {\n"
         "  template <int count>\n"
         "  struct Loaded {\n" +
         parts.loaded +
         "  };\n"
         "  static constexpr int pack = " +
         std::to_string(variant.load) +
         ";\n"
         "  const Constants& constants;\n"
         "  uint32_t place;\n" +
         parts.fields +
         "  __device__ Row operator+(int64_t n) const {\n"
         "    return {constants, place + uint32_t(n)" +
         parts.later +
         "};\n  }\n"
         "  template <int count>\n"
         "  __device__ Loaded<count> load(int64_t at) const {\n"
         "    return {" +
         parts.loads +
         "};\n  }\n"
         "  template <class Operands>\n"
         "  __device__ " +
         value + " compute(const Operands& loaded, int k) const {\n" + parts.names +
         text_of(steps) + "    return " + numbered("t", steps.steps.size() - 1) +
         ";\n  }\n"
         "  __device__ " +
         value +
         " operator[](int64_t at) const { return compute(load<1>(at), 0); }\n"
         "};\n"
         "struct Computed {\n"
         "  static constexpr bool are_columns = " +
         (variant.are_columns ? "true" : "false") +
         ";\n"
         "  const ReduceParams& params;\n"
         "  const Constants& constants;\n"
         "  __device__ Row row(int64_t row) const {\n"
         "    const uint64_t place = reinterpret_cast<uint64_t>(params.source) / sizeof(" +
         value +
         ");\n"
         "    return {constants, uint32_t(place + row * params.count)" +
         parts.first +
         "};\n  }\n"
         "};\n"
         "extern \"C\" __global__ void __launch_bounds__(kReduceBlock, reduce_resident<" +
         reducer + ">) " + source::kSymbol +
         "(const __grid_constant__ ReduceParams params,\n"
         "    const __grid_constant__ Constants constants) {\n"
         "  reduce_kernel<" +
         reducer + ", true>(params, Computed{params, constants});\n}\n";
}

// Returns how the memory of the steps lies in rows; nullopt if in none.
std::optional<std::vector<RowsOf>> all_rows(const Steps& steps, const ReduceParams& params) {
  std::vector<RowsOf> all;
  for (const StepMemory& memory : steps.memory) {
    std::optional<RowsOf> rows = rows_of(memory, steps.shape, row_length(params));
    if (!rows) return std::nullopt;
    all.push_back(*rows);
  }
  return all;
}

// Notes which operands are aligned for loads of so many elements. Returns the bytes of a load.
int64_t align(std::vector<RowsOf>& rows, const Steps& steps, const ReducePlan& plan,
              const ReduceParams& params, int64_t load) {
  int64_t bytes = 0;
  for (size_t k = 0; k < rows.size(); ++k) {
    rows[k].is_aligned =
        rows[k].is_single || is_aligned(steps.memory[k], rows[k], plan, params, load);
    if (!rows[k].is_single) bytes += load * itemsize(steps.memory[k].dtype);
  }
  return bytes;
}

Constants constants_of(const Steps& steps, const Variant& variant) {
  Constants constants;
  for (size_t k = 0; k < steps.memory.size(); ++k) {
    constants.add(static_cast<int64_t>(reinterpret_cast<uintptr_t>(steps.memory[k].data)));
    constants.add(variant.rows[k].row_stride);
  }
  for (const Scalar& scalar : steps.scalars)
    constants.add(scalar.bytes, static_cast<size_t>(itemsize(scalar.dtype)));
  return constants;
}

// A reduction of steps by one kernel.
struct PlannedReduction {
  ReduceLaunch launch;
  Variant variant;
  std::shared_ptr<Expression> kernels;
  std::string key;  // of the kernel among those
};

// Returns nullopt if no kernel can compute what it reduces.
std::optional<PlannedReduction> plan_reduction(const Steps& steps, Reduction reduction, DType loop,
                                               const ReducePlan& plan, Device device) {
  ReduceLaunch launch = plan_cuda_reduction(reduction, plan, device);
  const ReduceParams& params = launch.params;
  const bool has_rows = params.path == ReducePath::rows;
  const bool is_flat = params.reduced_ndim == 1 && params.kept_ndim <= 1;
  if ((!has_rows && !are_columns(params)) || !is_flat) return std::nullopt;
  std::optional<std::vector<RowsOf>> rows = all_rows(steps, params);
  if (!rows) return std::nullopt;
  const int64_t load = load_length(params, steps, *rows, plan.source_dtype, loop);
  if (align(*rows, steps, plan, params, load) > kReduceMostLoadBytes) return std::nullopt;
  Variant variant{reduction, plan.source_dtype, loop, load, are_columns(params), std::move(*rows)};
  static auto& table = *new KnownTable<ReducedSteps>;
  std::shared_ptr<Expression> kernels = table.find(variant.key(steps), steps, reduction)->kernels;
  return PlannedReduction{std::move(launch), std::move(variant), std::move(kernels),
                          std::string(1, static_cast<char>(device.index))};
}

}  // namespace

bool cuda_may_reduce_steps(int64_t size) { return size >= kCompileFrom; }

ReadyFlag cuda_prepare_reduction(const Steps& steps, Reduction reduction, DType loop,
                                 const ReducePlan& plan, Device device) {
  if (steps.size < kCompileFrom) return nullptr;
  std::optional<PlannedReduction> planned = plan_reduction(steps, reduction, loop, plan, device);
  if (!planned) return nullptr;
  return request_kernel(
      planned->kernels, planned->key, device,
      [steps, variant = std::move(planned->variant)] { return source_of(steps, variant); });
}

bool cuda_reduce_steps(const Steps& steps, Reduction reduction, DType loop, const ReducePlan& plan,
                       const StreamPtr& stream) {
  const Device device = stream->device();
  const bool is_now = steps.way == Steps::Way::compiled;
  if (is_now ? !nvrtc_library.available() : steps.size < kCompileFrom) return false;
  const std::optional<PlannedReduction> planned =
      plan_reduction(steps, reduction, loop, plan, device);
  if (!planned) return false;
  const auto& [launch, variant, kernels, key] = *planned;
  void* kernel = nullptr;
  if (is_now)
    kernel = kernels->compiled(
        key, [&] { return compile_for_cuda({}, device, source_of(steps, variant)); });
  else
    kernel = kernel_if_compiled(*kernels, key, device);
  if (kernel == nullptr) return false;
  Constants constants = constants_of(steps, variant);
  launch_reduction({kernel}, launch, accumulator_size(loops_of(reduction), loop), constants.data(),
                   stream, {kernels->label(), plan.source_dtype, *plan.source_shape});
  return true;
}

}  // namespace gpuarray
