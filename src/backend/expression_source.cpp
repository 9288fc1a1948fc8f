// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/expression_source.hpp"

#include <algorithm>
#include <bit>

#include "backend/expression_headers.hpp"
#include "backend/kernel_source.hpp"

namespace gpuarray::source {
namespace {

// A text with so many large functors has one copy of its body, not one for each element of a
// vector. Such texts compile in half of the time. H200, 2026-11, kernels of float32 sines or powers
// alone: with 4 functors one copy takes up to 10 % more time, with 8 it takes 8 % less, and with 16
// 14 % less. 16 exponentials take 9 % more.
constexpr int kRolledFrom = 8;

// Makes the compiled function visible to dlsym.
constexpr const char* kExported = "__attribute__((visibility(\"default\"))) ";

const char* text_of(bool value) { return value ? "true" : "false"; }

// Returns the text with a newline at its end, unless it is empty.
std::string lines(const std::string& text) {
  return text.empty() || text.back() == '\n' ? text : text + "\n";
}

void append(std::string& list, const std::string& item, const char* between = ", ") {
  list += (list.empty() ? "" : between) + item;
}

std::string element_type(const ExpressionParameter& parameter) {
  return (parameter.is_written ? "" : "const ") + cpp_type(parameter.memory);
}

bool is_converted(const ExpressionParameter& parameter) {
  return parameter.dtype != parameter.memory;
}

// Returns a value of the parameter's memory in the dtype of the text.
std::string in_text(const ExpressionParameter& parameter, const std::string& value) {
  if (!is_converted(parameter)) return value;
  return "gpuarray::cast<" + cpp_type(parameter.dtype) + ">(" + value + ")";
}

// Reads the layouts of arrays one after the other.
class Layouts {
 public:
  explicit Layouts(const std::string& bytes) : bytes_(bytes) {}
  ArrayLayout next() {
    const size_t at = at_;
    at_ += 2;
    return {bytes_[at], bytes_[at + 1] != 0};
  }

 private:
  const std::string& bytes_;
  size_t at_ = 0;
};

std::string raw_array(const ExpressionParameter& parameter, const ArrayLayout& layout) {
  return "gpuarray::RawArray<" + element_type(parameter) + ", " +
         std::to_string(static_cast<int>(layout.ndim)) + ", " + text_of(layout.is_even) + ">";
}

// The parts of a kernel's source that follow from the parameters.
struct Parts {
  std::string constants;  // the fields of the struct of constants
  std::string names;      // declarations of what the text names; in a walk of the constants
  // The operands of a walk.
  std::string types;      // of the elements, template arguments of the walk
  std::string arguments;  // the parameters of the body
  std::string converted;  // statements before the operation, which convert what is read
  std::string stored;     // statements after it, which convert what is written
  // The operands of elements that are computed; see kernels/reduce/computed.cuh.
  std::string row;      // the fields of a GpuarrayRow
  std::string first;    // what those of row gpuarray_at are made of
  std::string moved;    // what those of the elements gpuarray_n later are made of
  std::string loaded;   // the fields of a GpuarrayLoaded
  std::string loads;    // what they are made of
  std::string aligned;  // whether packs are aligned

  // Adds a parameter that is a constant: a scalar or a whole array.
  void add_constant(const ExpressionParameter& parameter, Layouts& layouts, const char* whole) {
    const std::string value = "gpuarray_constants." + parameter.name;
    if (parameter.role == Role::scalar) {
      add_field(parameter, cpp_type(parameter.memory));
      add_name("const " + cpp_type(parameter.dtype), parameter, in_text(parameter, value));
    } else {
      add_field(parameter, parameter.role == Role::pointer ? element_type(parameter) + "*"
                                                           : raw_array(parameter, layouts.next()));
      add_name(whole, parameter, value);
    }
  }

  // Adds an operand of a walk. A value that is converted has the parameter's own name, so the
  // element in memory gets another one.
  void add_walked(const ExpressionParameter& parameter) {
    const bool converts = is_converted(parameter);
    const std::string stored_name = parameter.name + (converts ? "_as_stored" : "");
    append(types, element_type(parameter));
    arguments += ", " + element_type(parameter) + "& " + stored_name;
    if (!converts) return;
    converted += "    " + std::string(parameter.is_written ? "" : "const ") +
                 cpp_type(parameter.dtype) + " " + parameter.name + " = " +
                 in_text(parameter, stored_name) + ";\n";
    if (parameter.is_written)
      stored += "    " + stored_name + " = gpuarray::cast<" + cpp_type(parameter.memory) + ">(" +
                parameter.name + ");\n";
  }

  // Adds an operand of computed elements.
  void add_computed(const ExpressionParameter& parameter, const ArrayLayout& layout, int pack) {
    const std::string &name = parameter.name, constant = "gpuarray_constants." + name;
    const std::string row_value = "gpuarray_row." + name;
    std::string value;
    const bool is_split = layout.ndim < ArrayLayout::kSingle;
    if (layout.ndim == ArrayLayout::kSingle || layout.ndim == ArrayLayout::kSplitSingle) {
      add_to_rows(parameter, is_split, "", "*" + constant + ".row(gpuarray_at)", row_value);
      value = row_value;
    } else if (layout.ndim < 0) {
      add_to_rows(parameter, is_split, "*", constant + ".row(gpuarray_at)",
                  row_value + " + gpuarray_n");
      value = add_loaded(parameter, row_value + " + gpuarray_at", layout.is_even);
    } else {
      add_field(parameter, raw_array(parameter, layout));
      value = pack == 1 ? constant + "[i]" : add_loaded(parameter, constant + ".data() + i", true);
      const std::string nbytes = std::to_string(pack * itemsize(parameter.memory));
      append(aligned, constant + ".is_aligned(" + nbytes + ")", " && ");
    }
    add_name("const " + cpp_type(parameter.dtype), parameter, in_text(parameter, value));
  }

 private:
  void add_field(const ExpressionParameter& parameter, const std::string& type) {
    constants += "  " + type + " " + parameter.name + ";\n";
  }
  void add_name(const std::string& type, const ExpressionParameter& parameter,
                const std::string& value) {
    names += "  " + type + " " + parameter.name + " = " + value + ";\n";
  }
  void add_to_rows(const ExpressionParameter& parameter, bool is_split, const char* pointer,
                   const std::string& of_row, const std::string& later) {
    const std::string type = cpp_type(parameter.memory);
    add_field(parameter, "gpuarray::ComputedOperand<" + type + ", " + text_of(is_split) + ">");
    row += "    " + std::string(*pointer != 0 ? "const " : "") + "gpuarray::stored_t<" + type +
           ">" + pointer + " " + parameter.name + ";\n";
    append(first, of_row);
    append(moved, later);
  }
  // Adds neighbours that are loaded from the address on. Returns the text of element gpuarray_k.
  std::string add_loaded(const ExpressionParameter& parameter, const std::string& address,
                         bool is_aligned) {
    const std::string type = "gpuarray::Neighbours<" + cpp_type(parameter.memory) +
                             ", gpuarray_count, " + text_of(is_aligned) + ">";
    loaded += "    " + type + " " + parameter.name + ";\n";
    append(loads, type + "(" + address + ")");
    return "gpuarray_loaded." + parameter.name + "[gpuarray_k]";
  }
};

Parts walked_parts(const Expression& expression, const std::string& layouts) {
  Parts parts;
  Layouts left(layouts);
  for (const ExpressionParameter& parameter : expression.parameters())
    if (parameter.role != Role::element) parts.add_constant(parameter, left, "const auto");
  for (int k : expression.operands())
    parts.add_walked(expression.parameters()[static_cast<size_t>(k)]);
  return parts;
}

Parts computed_parts(const Expression& expression, const std::string& layouts, int pack) {
  Parts parts;
  Layouts left(layouts);
  for (const ExpressionParameter& parameter : expression.parameters())
    if (parameter.role == Role::element)
      parts.add_computed(parameter, left.next(), pack);
    else
      parts.add_constant(parameter, left, "const auto&");
  return parts;
}

// Returns what stands before the kernel, up to the struct of its constants. `declarations` are what
// else the texts consist of.
std::string head(const Expression& expression, const Parts& parts, const std::string& headers,
                 const char* fields = "", const std::string& declarations = "") {
  std::string source = headers + names_for(expression, declarations);
  for (const auto& [name, dtype] : expression.text().types)
    source += "using " + name + " = " + cpp_type(dtype) + ";\n";
  return source + lines(expression.text().preamble) +
         "\nnamespace {\nstruct GpuarrayConstants {\n  int64_t n;\n" + fields + parts.constants +
         "};\n";
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
              std::to_string(reduction.correction) + ", " + text_of(reduction.root) +
              (reduction.order.empty() ? "" : ", " + reduction.order) + ");\n";
  return source + "  gpuarray_row.write(" + body(expression, parts, expression.text().operation) +
         ");\n  }";
}

// Returns the source of a kernel. `signature` is that of its function, `begin` are its first
// statements, and `walk` is the call of the walk up to its first argument.
std::string kernel(const Expression& expression, const Parts& parts, const std::string& headers,
                   const std::string& signature, const std::string& begin,
                   const std::string& walk) {
  const ExpressionText& text = expression.text();
  // A call says which indices a loop over pointers takes.
  std::string source =
      head(expression, parts, headers, expression.has_pointers() ? "  int64_t start, step;\n" : "");
  source += "}\n\nextern \"C\" " + signature + " {\n" + begin;
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
           std::to_string(expression.reduced_operands()) +
           (variant.staged == 0 ? "" : ", " + std::to_string(variant.staged)) + ">";
  if (variant.path == Path::tile) return std::to_string(variant.turned);
  if (variant.path == Path::merged) return std::to_string(variant.vector_operands);
  if (variant.is_long)
    return std::string(text_of(variant.wide)) + ", " + std::to_string(variant.units);
  std::string arguments = text_of(variant.vectors);
  if (variant.path == Path::rows) arguments += std::string(", ") + text_of(variant.wide);
  if (variant.has_maps())
    for (const uint32_t mask :
         {variant.outer_maps, variant.column_maps, variant.units, variant.hole_maps})
      arguments += ", " + std::to_string(mask);
  return arguments;
}

// Returns the lines that the source of a reduction or scan for CUDA begins with.
std::string headers_of(const Taking& taking) {
  if (taking.scans)
    return include("expression/fold_ops.cuh") + include("reduce/computed.cuh") +
           include("scan/scan_rows.cuh");
  return include(taking.by_rows ? "reduce/reduce_computed.cuh" : "expression/fold.cuh");
}

// Returns the source up to the kernel that takes computed elements: their GpuarrayMap, see
// kernels/reduce/computed.cuh.
std::string computed(const Expression& expression, const std::string& layouts, const Taking& taking,
                     const std::string& headers) {
  const Parts parts = computed_parts(expression, layouts, taking.pack);
  const std::string function = "  __device__ static ",
                    given = "(const GpuarrayConstants& gpuarray_constants",
                    row = "const GpuarrayRow& gpuarray_row", end = "  }\n";
  std::string source = head(expression, parts, headers, "", taking.declarations);
  source += "using gpuarray_type = " + cpp_type(taking.element) + ";\n" + taking.declarations;
  source += "struct GpuarrayMap {\n  using GpuarrayGiven = GpuarrayConstants;\n";
  source += "  using gpuarray_element = gpuarray::stored_t<gpuarray_type>;\n";
  source += "  static constexpr int gpuarray_pack = " + std::to_string(taking.pack) + ";\n";
  source += "  struct GpuarrayRow {\n" + parts.row + "  };\n";
  source +=
      "  template <int gpuarray_count>\n  struct GpuarrayLoaded {\n" + parts.loaded + "  };\n";
  source += function + "bool gpuarray_is_aligned" + given + ") {\n";
  source += "    return " + (parts.aligned.empty() ? "true" : parts.aligned) + ";\n" + end;
  source += function + "GpuarrayRow gpuarray_row" + given + ", int64_t gpuarray_at) {\n";
  source += "    return {" + parts.first + "};\n" + end;
  source += function + "GpuarrayRow gpuarray_moved(" + row + ", int64_t gpuarray_n) {\n";
  source += "    return {" + parts.moved + "};\n" + end;
  source += "  template <int gpuarray_count>\n" + function;
  source += "GpuarrayLoaded<gpuarray_count> gpuarray_load" + given + ", " + row;
  source += ", int64_t gpuarray_at, int64_t i) {\n    return {" + parts.loads + "};\n" + end;
  source += "  template <class GpuarrayPack>\n" + function;
  source += "gpuarray_element gpuarray_compute" + given + ", " + row;
  source += ", const GpuarrayPack& gpuarray_loaded, int gpuarray_k, int64_t i) {\n";
  source += "  const int64_t n = gpuarray_constants.n;\n  (void)i;\n  (void)n;\n";
  source += parts.names + lines(expression.text().operation) + end + "};\n";
  source += "using GpuarrayElements = gpuarray::ComputedElements<GpuarrayMap>;\n";
  return source + "using GpuarrayAlgorithm = " + taking.algorithm + ";\n}\n\nextern \"C\" ";
}

}  // namespace

std::string cuda(const Expression& expression, const std::string& layouts, const Variant& variant) {
  static const char* const params[] = {"", "FlatExpression", "RowsExpression", "TileExpression",
                                       "MergedExpression"};
  static const char* const walks[] = {"", "flat", "rows", "tile", "merged"};
  const auto path = static_cast<size_t>(variant.path);
  const bool reduces = expression.has_reductions();
  const std::string walk = reduces              ? "reduced_rows"
                           : variant.is_long    ? "long_rows"
                           : variant.has_maps() ? "mapped_rows"
                                                : walks[path];
  const bool is_of_operators = walk == walks[path];
  const Parts parts = walked_parts(expression, layouts);
  const std::string types = parts.types.empty() ? "" : ", " + parts.types;
  const auto is_written = [&](int k) {
    return expression.parameters()[static_cast<size_t>(k)].is_written;
  };
  std::string counts =
      "gpuarray::ExpressionOperands<" + std::to_string(expression.operands().size()) + ", " +
      std::to_string(std::ranges::count_if(expression.operands(), is_written)) + ", " +
      text_of(variant.has_single) + ", " +
      text_of(count_large_functors(expression.text().operation) >= kRolledFrom) + ">";
  if (variant.path != Path::flat) counts += ", " + std::to_string(variant.dims);
  if (variant.has_maps())
    counts += ", " + std::to_string(std::popcount(variant.outer_maps | variant.column_maps)) +
              ", " + text_of(variant.general_maps);
  return kernel(
      expression, parts,
      include((is_of_operators ? "elementwise/" : "expression/") + walk + ".cuh") +
          include("expression/expression.cuh") + (reduces ? include("reduce/reduce_ops.cuh") : ""),
      std::string("__global__ void ") +
          (reduces ? "__launch_bounds__(gpuarray::row_block<" + std::to_string(variant.lanes) +
                         ">, gpuarray::row_blocks<" + std::to_string(variant.lanes) + ">) "
                   : "") +
          kSymbol + "(const __grid_constant__ gpuarray::" +
          (variant.has_maps() ? "MappedExpression" : params[path]) + "<" + counts +
          "> gpuarray_params, const __grid_constant__ GpuarrayConstants "
          "gpuarray_constants)",
      "  gpuarray::wait_for_previous_grid();\n",
      "gpuarray::walk_" + walk + "<" + walk_arguments(expression, variant) + types +
          ">(gpuarray_params");
}

std::string host(const Expression& expression, const std::string& layouts) {
  const Parts parts = walked_parts(expression, layouts);
  const bool reduces = expression.has_reductions();
  return kernel(
      expression, parts,
      include(reduces ? "expression/reduced_rows_host.hpp" : "expression/expression_host.hpp"),
      std::string(kExported) + "void " + kSymbol +
          "(const gpuarray::ExpressionRow& gpuarray_row, const void* "
          "gpuarray_given)",
      "  const auto& gpuarray_constants = *static_cast<const "
      "GpuarrayConstants*>(gpuarray_given);\n",
      std::string("gpuarray::") + (reduces ? "reduced_row<" : "row_expression<") + parts.types +
          ">(gpuarray_row");
}

std::string cuda(const Expression& expression, const std::string& layouts, const Taking& taking) {
  const std::string source = computed(expression, layouts, taking, headers_of(taking));
  const std::string elements = taking.by_rows
                                   ? std::string("gpuarray::ComputedRows<GpuarrayMap, ") +
                                         text_of(taking.are_columns) + ">{params, constants}"
                                   : "GpuarrayElements{constants, {}, 0}";
  // A user's reduction keeps the blocks of one whose locals are small.
  const std::string bounds =
      taking.scans     ? "kScanBlock, gpuarray::scan_rows_resident<GpuarrayAlgorithm>"
      : taking.by_rows ? "kReduceBlock, gpuarray::reduce_resident<GpuarrayAlgorithm>"
                       : "kReduceBlock, gpuarray::kReduceResidentBlocks";
  return source + "__global__ void __launch_bounds__(gpuarray::" + bounds + ")\n" + kSymbol +
         "(const __grid_constant__ gpuarray::" + (taking.scans ? "ScanParams" : "ReduceParams") +
         " params, const __grid_constant__ GpuarrayConstants constants) {\n  "
         "gpuarray::" +
         (taking.scans
              ? "scan_rows_kernel<GpuarrayAlgorithm>"
              : std::string("reduce_kernel<GpuarrayAlgorithm, ") + text_of(taking.is_flat) + ">") +
         "(params, " + elements + ");\n}\n";
}

std::string host(const Expression& expression, const std::string& layouts, const Taking& taking) {
  return computed(expression, layouts, taking, include("expression/fold_host.hpp")) + kExported +
         "void " + kSymbol + "(const gpuarray::" + (taking.scans ? "ScanParams" : "ReduceParams") +
         "& params, const void* constants) {\n  gpuarray::" +
         (taking.scans ? "scan_on_host" : "reduce_on_host") +
         "<GpuarrayAlgorithm>(params, GpuarrayElements{*static_cast<const "
         "GpuarrayConstants*>(constants), {}, 0});\n}\n";
}

}  // namespace gpuarray::source
