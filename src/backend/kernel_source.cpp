// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/kernel_source.hpp"

namespace gpuarray::source {

std::string cpp_type(DType dtype) {
  static const char* const types[] = {
#define GPUARRAY_TYPE_TEXT(name, type) #type,
#define GPUARRAY_DTYPE(name, type, ...) GPUARRAY_TYPE_TEXT(name, type)
#include "kernels/dtypes.def"
#undef GPUARRAY_TYPE_TEXT
  };
  return types[static_cast<int>(dtype)];
}

namespace {

std::string name_of(const ElementwiseLoop& what) {
  return what.op == ElementwiseLoop::kCast ? "cast" : info(static_cast<Op>(what.op)).name;
}

std::string include(const std::string& header) { return "#include \"kernels/" + header + "\"\n"; }

std::string kernel(const std::string& headers, const std::string& parameters,
                   const std::string& body, const std::string& bounds = "") {
  return headers + "using namespace gpuarray;\nextern \"C\" __global__ void " + bounds +
         " gpuarray_kernel(" + parameters + ") { " + body + "; }\n";
}

std::string by_value(const std::string& params) {
  return "const __grid_constant__ " + params + " params";
}

std::string any_strides(const ElementwiseLoop& what) {
  const std::string params = by_value("ElementwiseParams<" + std::to_string(what.operands) + ">");
  if (what.op == ElementwiseLoop::kCast)
    return kernel(include("elementwise/elementwise.cuh"), params,
                  std::string("cast_kernel<") + cpp_type(what.dtypes[0]) + ", " +
                      cpp_type(what.dtypes[1]) + ">(params)");
  static const char* const arities[] = {"", "", "unary", "binary", "ternary"};
  return kernel(include("elementwise/elementwise.cuh") + include("element/functors.cuh"), params,
                std::string(arities[what.operands]) + "_kernel<" + name_of(what) + "_functor<" +
                    cpp_type(what.loop) + ">, " + cpp_type(what.loop) + ">(params)");
}

}  // namespace

std::string elementwise(Path path, const ElementwiseLoop& what, Variant variant) {
  if (path == Path::any) return any_strides(what);
  static const char* const paths[] = {"", "flat", "rows", "tile"};
  static const char* const params[] = {"", "FlatParams", "RowsParams", "TileParams"};
  const int index = static_cast<int>(path);
  std::string headers = include("elementwise/" + std::string(paths[index]) + ".cuh");
  if (what.op != ElementwiseLoop::kCast) headers += include("element/functors.cuh");
  std::string types = cpp_type(what.dtypes[0]);
  const std::string out = types;
  for (int k = 1; k < what.operands; ++k) types += std::string(", ") + cpp_type(what.dtypes[k]);
  std::string arguments = "params", turned;
  if (path == Path::rows) arguments += variant != 0 ? ", true" : ", false";
  if (path == Path::tile) turned = std::to_string(variant) + ", ";
  return kernel(headers,
                by_value(std::string(params[index]) + "<" + std::to_string(what.operands) + ">"),
                std::string(paths[index]) + "_kernel<" + turned + "Converting<" + name_of(what) +
                    "_functor<" + cpp_type(what.loop) + ">, " + cpp_type(what.loop) + ", " + out +
                    ">, " + types + ">(" + arguments + ")");
}

std::string reduce(Reduction reduction, DType from, DType loop) {
  std::string types = cpp_type(from);
  if (from != loop) types += std::string(", ") + cpp_type(loop);
  const std::string reducer = std::string(info(reduction).name) + "_reducer<" + types + ">";
  return kernel(include("reduce/reduce.cuh") + include("reduce/reduce_ops.cuh"),
                by_value("ReduceParams"), "reduce_kernel<" + reducer + ">(params)",
                "__launch_bounds__(kReduceBlock, reduce_resident<" + reducer + ">)");
}

std::string scan(ScanPath path, Scan scan, DType from, DType loop) {
  const std::string scanner =
      std::string(info(scan).name) + "_scanner<" + cpp_type(from) + ", " + cpp_type(loop) + ">";
  const bool rows = path == ScanPath::rows;
  const std::string items =
      path == ScanPath::columns ? "scan_items<" + scanner + ">" : std::string("1");
  return kernel(
      include("scan/scan_ops.cuh") + include(rows ? "scan/scan_rows.cuh" : "scan/scan_columns.cuh"),
      by_value("ScanParams"),
      rows ? "scan_rows_kernel<" + scanner + ">(params)"
           : "scan_columns_kernel<" + scanner + ", " + items + ">(params)",
      rows ? "__launch_bounds__(kScanBlock, scan_rows_resident<" + scanner + ">)"
           : "__launch_bounds__(kScanBlock, kScanWideResidentBlocks)");
}

std::string arange(DType dtype) {
  const std::string t = cpp_type(dtype);
  return kernel(include("elementwise/arange.cuh"),
                "void* out, int64_t length, " + t + " start, " + t + " step",
                "arange_kernel<" + t + ">(static_cast<" + t + "*>(out), length, start, step)");
}

std::string matmul(DType dtype, bool small) {
  return kernel(include("matmul/matmul.cuh"), by_value("MatmulParams"),
                std::string("matmul_kernel<") + cpp_type(dtype) +
                    (small ? ", 1" : ", kMatmulEach") + ">(params)",
                "__launch_bounds__(kMatmulBlock)");
}

std::string join() {
  return kernel(include("elementwise/join.cuh"), by_value("JoinParams"), "join_kernel(params)");
}

std::string sort(SortKernel which) {
  static const char* const params[] = {
#define GPUARRAY_SORT_KERNEL(name, params, expression) #params,
#include "kernels/sort.def"
  };
  static const char* const expressions[] = {
#define GPUARRAY_SORT_KERNEL(name, params, expression) #expression,
#include "kernels/sort.def"
  };
  const auto index = static_cast<size_t>(which);
  return kernel(include("sort/sort_rows.cuh") + include("sort/sort_runs.cuh"),
                by_value(params[index]), std::string(expressions[index]) + "(params)");
}

std::string indexing(const IndexingKernel& what) {
  using Kernel = IndexingKernel;
  const std::string word =
      what.bytes == 16 ? "uint4" : "uint" + std::to_string(8 * what.bytes) + "_t";
  const std::string bounds = "__launch_bounds__(kSelectBlock, kSelectResidentBlocks)";
  switch (what.action) {
    case Kernel::gather:
    case Kernel::scatter:
      return kernel(include("indexing/indexed.cuh"),
                    by_value(what.any ? "IndexedParams" : "IndexedRowsParams"),
                    std::string(what.any ? "indexed_any" : "indexed_rows") + "_kernel<" +
                        (what.action == Kernel::gather ? "Gather<" : "Scatter<") + word + ">, " +
                        cpp_type(what.index) + ">(params)");
    case Kernel::resolve:
      return kernel(include("indexing/resolve.cuh"), by_value("ResolveParams"),
                    "resolve_kernel(params)");
    case Kernel::claim:
    case Kernel::drop:
      return kernel(
          include("indexing/resolve.cuh"), by_value("WinnerParams"),
          (what.action == Kernel::claim ? "claim_kernel<" : "drop_kernel<") + word + ">(params)");
    case Kernel::drop_few:
      return kernel(include("indexing/resolve.cuh"), by_value("WinnerParams"),
                    "drop_few_kernel(params)");
    case Kernel::count_tiles:
      return kernel(include("indexing/select.cuh"), by_value("SelectParams"),
                    "count_tiles_kernel(params)", bounds);
    case Kernel::select:
    case Kernel::spread:
      return kernel(include("indexing/select.cuh"), by_value("SelectParams"),
                    (what.action == Kernel::select ? "select_kernel<" : "spread_kernel<") + word +
                        ">(params)",
                    bounds);
    default:
      return kernel(include("indexing/select.cuh"), by_value("NonzeroParams"),
                    "nonzero_kernel(params)", bounds);
  }
}

std::string combine(bool any, Op op, DType dtype) {
  return kernel(include("indexing/combine_at.cuh"),
                by_value(any ? "IndexedParams" : "IndexedRowsParams"),
                std::string(any ? "indexed_any" : "indexed_rows") + "_kernel<Combine<" +
                    info(op).name + "_functor, " + cpp_type(dtype) + ">, int64_t>(params)");
}

std::string search(DType dtype) {
  return kernel(include("sort/search.cuh"), by_value("SearchParams"),
                std::string("search_kernel<") + cpp_type(dtype) + ">(params)",
                "__launch_bounds__(kSearchBlock)");
}

std::string histogram(DType dtype) {
  return kernel(include("sort/histogram.cuh"), by_value("HistogramParams"),
                std::string("histogram_kernel<") + cpp_type(dtype) + ">(params)",
                "__launch_bounds__(kHistogramBlock)");
}

}  // namespace gpuarray::source
