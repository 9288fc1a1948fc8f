// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/devices/fold.hpp"

#include <algorithm>

#include "backend/cuda/expression.hpp"
#include "backend/cuda/reduce.hpp"
#include "backend/cuda/scan.hpp"
#include "backend/expression_source.hpp"
#include "backend/host/host.hpp"
#include "backend/kernel_source.hpp"
#include "kernels/tuning.hpp"
#include "runtime/device/device.hpp"

namespace gpuarray {
namespace {

constexpr int kVectorBytes = 16;
// Each of the elements that are read together has a copy of the text, which is compiled.
constexpr int kMostElements = 4;

// Returns the C++ type in which a text computes with `dtype`.
std::string computed_type(DType dtype) { return source::cpp_type(compute_dtype(dtype)); }

ExpressionText mapping(ExpressionText map) {
  map.operation = "    return gpuarray::cast<gpuarray_type>(" + map.operation + "\n    );\n";
  for (auto& [name, dtype] : map.types) dtype = compute_dtype(dtype);
  return map;
}

std::vector<ExpressionParameter> computed(std::vector<ExpressionParameter> parameters) {
  for (ExpressionParameter& parameter : parameters)
    if (parameter.role == Role::element || parameter.role == Role::scalar)
      parameter.dtype = compute_dtype(parameter.dtype);
  return parameters;
}

// Returns how many neighbouring elements of all arrays are read together: up to 16 bytes of the
// widest, or 1 where an array is not contiguous.
int pack_of(const Expression& expression, const std::string& layouts) {
  int widest = 1, bytes = 0;
  size_t at = 0;
  for (const ExpressionParameter& parameter : expression.parameters()) {
    const bool is_element = parameter.role == Role::element;
    if (!is_element && parameter.role != Role::raw) continue;
    if (is_element && layouts[at + 1] == 0) return 1;
    at += 2;
    if (!is_element) continue;
    widest = std::max(widest, itemsize(parameter.memory));
    bytes += itemsize(parameter.memory);
  }
  int pack = std::min(kVectorBytes / widest, kMostElements);
  while (pack > 1 && pack * bytes > kReduceMostLoadBytes) pack /= 2;
  return bytes > 0 ? pack : 1;
}

// Returns the C++ type that combines elements and computes the result of them.
std::string operation(const FoldText& text, DType result) {
  std::string made =
      "struct GpuarrayOperation {\n  using type = "
      "gpuarray_type;\n  using result = " +
      source::cpp_type(result) + ";\n";
  if (!text.identity.empty())
    made += "  __device__ static type identity() { return gpuarray::cast<type>(" + text.identity +
            "); }\n";
  made +=
      "  __device__ static type combine(type a, type b) {\n    return "
      "gpuarray::cast<type>(" +
      text.combine + "\n    );\n  }\n  __device__ static result finish(type a) {\n";
  const std::string& output = text.finish.empty() ? "a" : text.output;
  if (!text.finish.empty())
    made += "    " + computed_type(text.result) + " " + output + "{};\n" + text.finish + ";\n";
  return made + "    return gpuarray::cast<result>(" + output + ");\n  }\n};\n";
}

std::string algorithm(const FoldText& text) {
  if (text.kind == FoldKind::reduction)
    return text.identity.empty() ? "gpuarray::fold_some_reducer<GpuarrayOperation>"
                                 : "gpuarray::fold_reducer<GpuarrayOperation>";
  return std::string("gpuarray::fold_scanner<GpuarrayOperation, ") +
         (text.kind == FoldKind::exclusive_scan ? "true>" : "false>");
}

void* compiled(Fold& fold, DType result, const std::string& layouts, Device device,
               bool is_flat = false) {
  const std::string key =
      to_string(device) + (is_flat ? '-' : ' ') + static_cast<char>(result) + layouts;
  return fold.expression().compiled(key, [&] {
    const std::string text = source::fold(fold, result, layouts, !device.is_cpu(), is_flat);
    return device.is_cpu() ? compile_for_host(fold.expression().text(), text)
                           : compile_for_cuda(fold.expression(), device, text);
  });
}

template <class Params>
void run_on_host(void* function, const Params& params, const ArgumentBlock& block) {
  reinterpret_cast<void (*)(const Params&, const void*)>(function)(params, block.constants.data());
}

}  // namespace

Fold::Fold(ExpressionText map, std::vector<ExpressionParameter> parameters, FoldText text)
    : text_(std::move(text)),
      expression_(mapping(std::move(map)), computed(std::move(parameters))) {}

void run_fold(Fold& fold, DType result, ArgumentBlock& block, const ReducePlan& plan,
              const StreamPtr& stream) {
  const Device device = stream->device();
  const bool is_flat = !device.is_cpu() && plan.kept.size() <= 1 && plan.reduced.size() == 1;
  void* function = compiled(fold, result, block.layouts, device, is_flat);
  const FoldText& text = fold.text();
  const int size = itemsize(compute_dtype(text.type));
  BufferAccess access(stream);
  block.open(access);
  if (device.is_cpu()) return run_on_host(function, plan_reduction(plan, size, 1).params, block);
  launch_reduction({function}, plan_reduction(plan, size, properties(device).multiprocessors),
                   text.identity.empty() ? 2 * size : size, block.constants.data(), stream,
                   {fold.expression().label(), plan.source_dtype, *plan.source_shape});
}

void run_fold(Fold& fold, DType result, ArgumentBlock& block, const ScanPlan& plan,
              const StreamPtr& stream) {
  const Device device = stream->device();
  void* function = compiled(fold, result, block.layouts, device);
  const int size = itemsize(compute_dtype(fold.text().type));
  ScanLaunch made = plan_scan(plan, size, itemsize(result));
  BufferAccess access(stream);
  block.open(access);
  if (device.is_cpu()) return run_on_host(function, made.params, block);
  launch_scan({function}, made, size, block.constants.data(), stream,
              {fold.expression().label(), plan.source_dtype, *plan.source_shape});
}

namespace source {

std::string fold(const Fold& fold, DType result, const std::string& layouts, bool is_cuda,
                 bool is_flat) {
  const FoldText& text = fold.text();
  const bool scans = text.kind != FoldKind::reduction;
  const Taking taking{.algorithm = algorithm(text),
                      .declarations = operation(text, result),
                      .element = compute_dtype(text.type),
                      .pack = is_cuda && !scans ? pack_of(fold.expression(), layouts) : 1,
                      .scans = scans,
                      .is_flat = is_flat};
  return is_cuda ? cuda(fold.expression(), layouts, taking)
                 : host(fold.expression(), layouts, taking);
}

}  // namespace source
}  // namespace gpuarray
