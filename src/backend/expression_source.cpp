// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/expression_source.hpp"

#include "backend/kernel_source.hpp"

namespace gpuarray::source {

// A preamble may include cuda_fp16.h, whose name `half` would be ambiguous with ours.
const char* const kNames = R"(#define CUDA_NO_HALF
#include "kernels/element/operators.cuh"
#include "kernels/expression/raw_array.hpp"
using gpuarray::bfloat16;
using gpuarray::cast;
using gpuarray::complex;
using gpuarray::half;
namespace math = gpuarray::math;
)";

std::string lines(const std::string& text) {
  return text.empty() || text.back() == '\n' ? text : text + "\n";
}

namespace {

const char* text_of(bool value) { return value ? "true" : "false"; }

std::string element_type(const ExpressionParameter& parameter) {
  return (parameter.is_written ? "" : "const ") + cpp_type(parameter.memory);
}

bool is_converted(const ExpressionParameter& parameter) {
  return parameter.role == Role::element && parameter.dtype != parameter.memory;
}

// Returns the name of a parameter of the body. A value that is converted has the parameter's own
// name, so the element in memory gets another one.
std::string argument_name(const ExpressionParameter& parameter) {
  return parameter.name + (is_converted(parameter) ? "_as_stored" : "");
}

// The parts of a kernel's source that follow from the parameters.
struct Parts {
  std::string constants;  // the fields of the struct of constants
  std::string names;      // declarations that name the constants in the kernel
  std::string types;      // the types of the elements, template arguments of the walk
  std::string arguments;  // the parameters of the body
  std::string converted;  // statements before the operation, which convert what is read
  std::string stored;     // statements after it, which convert what is written
};

void add_raw(Parts& parts, const ExpressionParameter& parameter, const std::string& raw,
             size_t& raws) {
  const std::string element = (parameter.is_written ? "" : "const ") + cpp_type(parameter.dtype);
  std::string field = element + "*";
  if (parameter.role == Role::raw) {
    const int dims = raw[2 * raws];
    const bool contiguous = raw[2 * raws + 1] != 0;
    ++raws;
    field = "gpuarray::RawArray<" + element + ", " + std::to_string(dims) +
            (contiguous ? ", true>" : ", false>");
  }
  parts.constants += "  " + field + " " + parameter.name + ";\n";
  parts.names +=
      "  const auto " + parameter.name + " = gpuarray_constants." + parameter.name + ";\n";
}

void add_element(Parts& parts, const ExpressionParameter& parameter) {
  parts.types += (parts.types.empty() ? "" : ", ") + element_type(parameter);
  parts.arguments += ", " + element_type(parameter) + "& " + argument_name(parameter);
  if (!is_converted(parameter)) return;
  const std::string stored = argument_name(parameter), own = cpp_type(parameter.dtype);
  parts.converted += "    " + std::string(parameter.is_written ? "" : "const ") + own + " " +
                     parameter.name + " = gpuarray::cast<" + own + ">(" + stored + ");\n";
  if (parameter.is_written)
    parts.stored += "    " + stored + " = gpuarray::cast<" + cpp_type(parameter.memory) + ">(" +
                    parameter.name + ");\n";
}

Parts parts_of(const Expression& expression, const std::string& raw) {
  Parts parts;
  size_t raws = 0;
  for (const ExpressionParameter& parameter : expression.parameters()) {
    if (parameter.role == Role::element) continue;
    if (parameter.role == Role::scalar) {
      parts.constants += "  " + cpp_type(parameter.dtype) + " " + parameter.name + ";\n";
      parts.names += "  const " + cpp_type(parameter.dtype) + " " + parameter.name +
                     " = gpuarray_constants." + parameter.name + ";\n";
    } else {
      add_raw(parts, parameter, raw, raws);
    }
  }
  for (int k : expression.operands())
    add_element(parts, expression.parameters()[static_cast<size_t>(k)]);
  return parts;
}

// Returns a function of the elements of the operands. Of several passes each has copies of what the
// ones before it found, which no element that it writes can change.
std::string body(const Expression& expression, const Parts& parts, const std::string& statements) {
  std::string source = expression.has_reductions() ? "[=]" : "[&]";
  source += "(int64_t i" + parts.arguments + ") {\n    (void)i;\n";
  if (expression.has_pointers())
    source += "    i = gpuarray_constants.start + i * gpuarray_constants.step;\n";
  std::string operation = lines(statements) + ";\n";
  if (!parts.stored.empty())
    operation = "[&] {\n" + operation + "}();\n";  // the text may use `return`
  return source + parts.converted + operation + parts.stored + "  }";
}

// Returns a function of a row, which reduces it and writes it.
std::string row_body(const Expression& expression, const Parts& parts) {
  std::string source = "[&](auto&& gpuarray_row) {\n";
  for (const RowReduction& reduction : expression.text().reductions)
    source += "  const auto " + reduction.name + " = gpuarray_row.template reduce<" +
              reduction.reducer + ">(" + body(expression, parts, reduction.operation) + ", " +
              std::to_string(reduction.correction) + ", " + text_of(reduction.root) + ");\n";
  return source + "  gpuarray_row.write(" + body(expression, parts, expression.text().operation) +
         ");\n  }";
}

// Returns the source of a kernel. `signature` is that of its function, `begin` are its first
// statements, and `walk` is the call of the walk up to its first argument.
std::string kernel(const Expression& expression, const Parts& parts, const std::string& header,
                   const std::string& signature, const std::string& begin,
                   const std::string& walk) {
  const ExpressionText& text = expression.text();
  const bool steps = expression.has_pointers();  // a call says which indices the loop takes
  std::string source = "#include \"kernels/" + header + "\"\n" + kNames;
  for (const auto& [name, dtype] : text.types)
    source += "using " + name + " = " + cpp_type(dtype) + ";\n";
  source += lines(text.preamble);
  source += "\nnamespace {\nstruct GpuarrayConstants {\n  int64_t n;\n";
  if (steps) source += "  int64_t start, step;\n";
  source += parts.constants + "};\n}\n\n";
  source += "extern \"C\" " + signature + " {\n" + begin;
  source += "  const int64_t n = gpuarray_constants.n;\n  (void)n;\n" + parts.names;
  source += lines(text.loop_prep);
  source += "  " + walk + ", " +
            (expression.has_reductions() ? row_body(expression, parts)
                                         : body(expression, parts, text.operation)) +
            ");\n";
  return source + lines(text.after_loop) + "}\n";
}

// Returns the template arguments of a walk that stand before the types of the operands.
std::string walk_arguments(const Expression& expression, const Variant& variant) {
  if (expression.has_reductions())
    return std::string("gpuarray::RowPlan<") + std::to_string(variant.vector_operands) + ", " +
           text_of(variant.wide) + ", " + std::to_string(variant.lanes) + ", " +
           std::to_string(variant.rounds) + ", " + text_of(variant.held) + ", " +
           std::to_string(expression.reduced_operands()) + ">";
  if (variant.path == Path::tile) return std::to_string(variant.turned);
  if (variant.is_long)
    return std::string(text_of(variant.wide)) + ", " + std::to_string(variant.units);
  std::string arguments = text_of(variant.vectors);
  if (variant.path == Path::rows) arguments += std::string(", ") + text_of(variant.wide);
  return arguments;
}

}  // namespace

std::string cuda(const Expression& expression, const std::string& raw, const Variant& variant) {
  static const char* const params[] = {"", "FlatExpression", "RowsExpression", "TileExpression"};
  static const char* const walks[] = {"", "walk_flat", "walk_rows", "walk_tile"};
  const auto path = static_cast<size_t>(variant.path);
  const bool reduces = expression.has_reductions();
  const Parts parts = parts_of(expression, raw);
  const std::string types = parts.types.empty() ? "" : ", " + parts.types;
  std::string counts = std::to_string(expression.operands().size());
  if (variant.path != Path::flat) counts += ", " + std::to_string(variant.dims);
  return kernel(
      expression, parts, reduces ? "expression/reduced_rows.cuh" : "expression/expression.cuh",
      std::string("__global__ void ") +
          (reduces ? "__launch_bounds__(gpuarray::row_block<" + std::to_string(variant.lanes) +
                         ">, gpuarray::row_blocks<" + std::to_string(variant.lanes) + ">) "
                   : "") +
          kSymbol + "(const __grid_constant__ gpuarray::" + params[path] + "<" + counts +
          "> gpuarray_params, const __grid_constant__ GpuarrayConstants gpuarray_constants)",
      "  gpuarray::wait_for_previous_grid();\n",
      std::string("gpuarray::") +
          (reduces           ? "walk_reduced_rows"
           : variant.is_long ? "walk_long_rows"
                             : walks[path]) +
          "<" + walk_arguments(expression, variant) + types + ">(gpuarray_params");
}

std::string host(const Expression& expression, const std::string& raw) {
  const Parts parts = parts_of(expression, raw);
  const bool reduces = expression.has_reductions();
  return kernel(expression, parts,
                reduces ? "expression/reduced_rows_host.hpp" : "expression/expression_host.hpp",
                std::string(kExported) + "void " + kSymbol +
                    "(const gpuarray::ExpressionRow& gpuarray_row, const void* gpuarray_given)",
                "  const auto& gpuarray_constants = *static_cast<const "
                "GpuarrayConstants*>(gpuarray_given);\n",
                std::string("gpuarray::") + (reduces ? "reduced_row<" : "row_expression<") +
                    parts.types + ">(gpuarray_row");
}

}  // namespace gpuarray::source
