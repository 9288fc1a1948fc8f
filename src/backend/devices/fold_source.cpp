// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/devices/fold.hpp"

#include <algorithm>

#include "backend/expression_source.hpp"
#include "backend/kernel_source.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray::source {
namespace {

// Returns the C++ type in which a text computes with `dtype`.
std::string computed_type(DType dtype) { return cpp_type(compute_dtype(dtype)); }

constexpr int kVectorBytes = 16;
// Each of the elements that are read together has a copy of the text, which is compiled.
constexpr int kMostElements = 4;

// Returns how many neighbouring elements of all arrays are read together: up to 16 bytes of the
// widest, or 1 where an array is not contiguous.
int pack_of(const Expression& expression, const std::string& arrays) {
  int widest = 1, bytes = 0;
  size_t at = 0;
  for (const ExpressionParameter& parameter : expression.parameters()) {
    const bool is_element = parameter.role == Role::element;
    if (!is_element && parameter.role != Role::raw) continue;
    if (is_element && arrays[at + 1] == 0) return 1;
    at += 2;
    if (!is_element) continue;
    widest = std::max(widest, itemsize(parameter.memory));
    bytes += itemsize(parameter.memory);
  }
  int pack = std::min(kVectorBytes / widest, kMostElements);
  while (pack > 1 && pack * bytes > kReduceMostLoadBytes) pack /= 2;
  return bytes > 0 ? pack : 1;
}

struct Parts {
  std::string fields;   // the fields of the struct of constants
  std::string names;    // declarations that name them in the map
  std::string loaded;   // the fields of neighbouring elements of the arrays
  std::string loads;    // what they are made of
  std::string aligned;  // whether they can be read by vectors
};

Parts parts_of(const Expression& expression, const std::string& arrays, int pack) {
  Parts parts;
  size_t at = 0;
  for (const ExpressionParameter& parameter : expression.parameters()) {
    const std::string& name = parameter.name;
    std::string type = parameter.role == Role::scalar ? "" : "const ";
    type += cpp_type(parameter.memory) + (parameter.role == Role::pointer ? "*" : "");
    if (parameter.role == Role::element || parameter.role == Role::raw) {
      type = "gpuarray::RawArray<" + type + ", " + std::to_string(arrays[at]) +
             (arrays[at + 1] != 0 ? ", true>" : ", false>");
      at += 2;
    }
    parts.fields += "  " + type + " " + name + ";\n";
    std::string value = "gpuarray_constants." + name;
    if (parameter.role == Role::element && pack > 1) {
      const std::string element = cpp_type(parameter.memory);
      const std::string neighbours = "gpuarray::Neighbours<" + element + ", gpuarray_count, true>";
      parts.loaded += "  " + neighbours + " " + name + ";\n";
      parts.loads +=
          (parts.loads.empty() ? "" : ", ") + neighbours + "(" + value + ".data() + gpuarray_at)";
      parts.aligned += (parts.aligned.empty() ? "" : " && ") + value + ".is_aligned(" +
                       std::to_string(pack * itemsize(parameter.memory)) + ")";
      value = "gpuarray_loaded." + name;
    }
    const std::string computed = computed_type(parameter.dtype);
    if (parameter.role == Role::element || parameter.role == Role::scalar)
      parts.names += "    const " + computed + " " + name + " = gpuarray::cast<" + computed + ">(" +
                     value +
                     (parameter.role == Role::scalar ? ""
                      : pack > 1                     ? "[gpuarray_k]"
                                                     : "[i]") +
                     ");\n";
    else
      parts.names += "    const auto& " + name + " = " + value + ";\n";
  }
  return parts;
}

// Returns the type of the mapped elements, which the engines use as they use a pointer: by + and
// [].
std::string elements(const Expression& expression, const Parts& parts, int pack) {
  const std::string constants =
      "struct GpuarrayConstants {\n  int64_t n;\n" + parts.fields + "};\n";
  const std::string map =
      "    const int64_t n = gpuarray_constants.n;\n    (void)i;\n    (void)n;\n" + parts.names +
      "    return gpuarray::cast<gpuarray_type>(" + expression.text().operation +
      "\n    );\n  }\n};\n";
  if (pack == 1)
    return constants +
           "struct GpuarrayElements {\n"
           "  const GpuarrayConstants& gpuarray_constants;\n"
           "  int64_t gpuarray_first;\n"
           "  __device__ GpuarrayElements operator+(int64_t offset) const {\n"
           "    return {gpuarray_constants, gpuarray_first + offset};\n  }\n"
           "  __device__ gpuarray_type operator[](int64_t gpuarray_offset) const {\n"
           "    const int64_t i = gpuarray_first + gpuarray_offset;\n" +
           map;
  // All names begin with gpuarray, as the user's names are in scope.
  return constants + "template <int gpuarray_count>\nstruct GpuarrayLoaded {\n" + parts.loaded +
         "};\nstruct GpuarrayMap {\n"
         "  template <int gpuarray_count>\n"
         "  using GpuarrayLoads = GpuarrayLoaded<gpuarray_count>;\n"
         "  using GpuarrayGiven = GpuarrayConstants;\n"
         "  static constexpr int gpuarray_pack = " +
         std::to_string(pack) +
         ";\n"
         "  __device__ static bool gpuarray_is_aligned(const GpuarrayConstants& "
         "gpuarray_constants) {\n"
         "    return " +
         parts.aligned +
         ";\n  }\n"
         "  template <int gpuarray_count>\n"
         "  __device__ static GpuarrayLoaded<gpuarray_count> gpuarray_load(\n"
         "      const GpuarrayConstants& gpuarray_constants, int64_t gpuarray_at) {\n"
         "    return {" +
         parts.loads +
         "};\n  }\n"
         "  template <class GpuarrayOperands>\n"
         "  __device__ static gpuarray_type gpuarray_map(\n"
         "      const GpuarrayConstants& gpuarray_constants,\n"
         "      const GpuarrayOperands& gpuarray_loaded, int gpuarray_k, int64_t i) {\n" +
         map + "using GpuarrayElements = gpuarray::PackedElements<GpuarrayMap>;\n";
}

std::string operation(const FoldText& text, DType result) {
  std::string made =
      "struct GpuarrayOperation {\n  using type = gpuarray_type;\n  using result = " +
      cpp_type(result) + ";\n";
  if (!text.identity.empty())
    made += "  __device__ static type identity() { return gpuarray::cast<type>(" + text.identity +
            "); }\n";
  made += "  __device__ static type combine(type a, type b) {\n    return gpuarray::cast<type>(" +
          text.combine + "\n    );\n  }\n  __device__ static result finish(type a) {\n";
  if (text.finish.empty()) return made + "    return gpuarray::cast<result>(a);\n  }\n};\n";
  return made + "    " + computed_type(text.result) + " " + text.output + "{};\n" +
         lines(text.finish + ";") + "    return gpuarray::cast<result>(" + text.output +
         ");\n  }\n};\n";
}

std::string algorithm(const FoldText& text) {
  if (text.kind == FoldKind::reduction)
    return text.identity.empty() ? "fold_some_reducer<GpuarrayOperation>"
                                 : "fold_reducer<GpuarrayOperation>";
  return std::string("fold_scanner<GpuarrayOperation, ") +
         (text.kind == FoldKind::exclusive_scan ? "true>" : "false>");
}

}  // namespace

std::string fold(const Fold& fold, DType result, const std::string& arrays, bool is_cuda,
                 bool is_flat) {
  const Expression& expression = fold.expression();
  const FoldText& text = fold.text();
  const bool reduces = text.kind == FoldKind::reduction;
  const int pack = is_cuda && reduces ? pack_of(expression, arrays) : 1;
  std::string source = std::string("#include \"kernels/expression/") +
                       (is_cuda ? "fold.cuh" : "fold_host.hpp") + "\"\n" + kNames;
  for (const auto& [name, dtype] : expression.text().types)
    source += "using " + name + " = " + computed_type(dtype) + ";\n";
  source += lines(expression.text().preamble) +
            "\nnamespace {\nusing gpuarray_type = " + computed_type(text.type) + ";\n" +
            elements(expression, parts_of(expression, arrays, pack), pack) +
            operation(text, result) + "using GpuarrayAlgorithm = gpuarray::" + algorithm(text) +
            ";\n}\n\nextern \"C\" ";
  const std::string params = reduces ? "gpuarray::ReduceParams" : "gpuarray::ScanParams";
  if (!is_cuda)
    return source + kExported + "void " + kSymbol + "(const " + params +
           "& params, const void* constants) {\n  gpuarray::" +
           (reduces ? "reduce_on_host" : "scan_on_host") +
           "<GpuarrayAlgorithm>(params, GpuarrayElements{*static_cast<const "
           "GpuarrayConstants*>(constants), 0});\n}\n";
  return source + "__global__ void __launch_bounds__(" +
         (reduces ? "gpuarray::kReduceBlock, gpuarray::kReduceResidentBlocks"
                  : "gpuarray::kScanBlock, gpuarray::scan_rows_resident<GpuarrayAlgorithm>") +
         ")\n" + kSymbol + "(const __grid_constant__ " + params +
         " params, const __grid_constant__ GpuarrayConstants constants) {\n  gpuarray::" +
         (reduces
              ? "reduce_kernel<GpuarrayAlgorithm, " + std::string(is_flat ? "true" : "false") + ">"
              : "scan_rows_kernel<GpuarrayAlgorithm>") +
         "(params, GpuarrayElements{constants, 0});\n}\n";
}

}  // namespace gpuarray::source
