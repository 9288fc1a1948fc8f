// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/expression_source.hpp"

#include "backend/kernel_source.hpp"

namespace gpuarray::source {

// cuda_fp16.h, which a preamble may include, has a name half too.
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

std::string element_type(const ExpressionParameter& parameter) {
  return (parameter.is_written ? "" : "const ") + cpp_type(parameter.memory);
}

bool is_converted(const ExpressionParameter& parameter) {
  return parameter.role == Role::element && parameter.dtype != parameter.memory;
}

// What the body is given: a parameter of other memory under a name of its own.
std::string argument_name(const ExpressionParameter& parameter) {
  return parameter.name + (is_converted(parameter) ? "_as_stored" : "");
}

// Parts of one kernel's text.
struct Parts {
  std::string constants;  // fields
  std::string names;      // of the constants, in the kernel
  std::string types;      // of the elements, for the walk
  std::string arguments;  // of the body
  std::string converted;  // in the body, before the operation
  std::string stored;     // and after it
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

// The kernel of a signature, whose walk begins with `walk`, up to its types; `begin` comes first.
std::string kernel(const Expression& expression, const Parts& parts, const std::string& header,
                   const std::string& signature, const std::string& begin,
                   const std::string& walk) {
  const ExpressionText& text = expression.text();
  const bool strides = expression.has_pointers();  // through the index, PyCUDA's range= and slice=
  std::string source = "#include \"kernels/" + header + "\"\n" + kNames;
  for (const auto& [name, dtype] : text.types)
    source += "using " + name + " = " + cpp_type(dtype) + ";\n";
  source += lines(text.preamble);
  source += "\nnamespace {\nstruct GpuarrayConstants {\n  int64_t n;\n";
  if (strides) source += "  int64_t start, step;\n";
  source += parts.constants + "};\n}\n\n";
  source += "extern \"C\" " + signature + " {\n" + begin;
  source += "  const int64_t n = gpuarray_constants.n;\n  (void)n;\n" + parts.names;
  source += lines(text.loop_prep);
  source += "  " + walk + ", [&](int64_t i" + parts.arguments + ") {\n    (void)i;\n";
  if (strides) source += "    i = gpuarray_constants.start + i * gpuarray_constants.step;\n";
  std::string operation = lines(text.operation) + ";\n";
  if (!parts.stored.empty()) operation = "[&] {\n" + operation + "}();\n";  // it may return
  source += parts.converted + operation + parts.stored + "  });\n";
  return source + lines(text.after_loop) + "}\n";
}

std::string cuda(const Expression& expression, const std::string& raw, const std::string& params,
                 const std::string& dims, const std::string& walk, const std::string& flags) {
  const Parts parts = parts_of(expression, raw);
  std::string types = flags;
  if (!types.empty() && !parts.types.empty()) types += ", ";
  types += parts.types;
  const std::string count = std::to_string(expression.operands().size());
  return kernel(
      expression, parts, "expression/expression.cuh",
      std::string("__global__ void ") + kSymbol + "(const __grid_constant__ gpuarray::" + params +
          "<" + count + dims +
          "> gpuarray_params, const __grid_constant__ GpuarrayConstants gpuarray_constants)",
      "  gpuarray::wait_for_previous_grid();\n",
      "gpuarray::" + walk + "<" + types + ">(gpuarray_params");
}

}  // namespace

std::string flat(const Expression& expression, const std::string& raw) {
  return cuda(expression, raw, "FlatExpression", "", "flat_expression",
              expression.has_vectors() ? "true" : "false");
}

std::string rows(const Expression& expression, const std::string& raw, const RowsVariant& variant) {
  return cuda(
      expression, raw, "RowsExpression", ", " + std::to_string(variant.dims), "rows_expression",
      std::string(variant.vectors ? "true" : "false") + (variant.wide ? ", true" : ", false"));
}

std::string host(const Expression& expression, const std::string& raw) {
  const Parts parts = parts_of(expression, raw);
  return kernel(expression, parts, "expression/expression_host.hpp",
                std::string(kExported) + "void " + kSymbol +
                    "(const gpuarray::ExpressionRow& gpuarray_row, const void* gpuarray_given)",
                "  const auto& gpuarray_constants = *static_cast<const "
                "GpuarrayConstants*>(gpuarray_given);\n",
                "gpuarray::row_expression<" + parts.types + ">(gpuarray_row");
}

}  // namespace gpuarray::source
