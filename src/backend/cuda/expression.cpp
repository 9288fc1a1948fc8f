// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/expression.hpp"

#include <bit>
#include <string>

#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/cuda/paths.hpp"
#include "backend/cuda/walk_parameters.hpp"
#include "backend/expression_source.hpp"
#include "backend/kernel_source.hpp"
#include "core/error.hpp"
#include "kernels/tuning.hpp"
#include "runtime/code/compile_queue.hpp"
#include "runtime/code/jit.hpp"

namespace gpuarray {
namespace {

paths::Launch fill_reduced_rows(paths::Parameters& params, const paths::Operands& operands,
                                const Expression& expression) {
  const int value_bytes = expression.value_bytes();
  const paths::ReducedRowsWalk walk =
      paths::reduced_rows(operands, expression.reduced_operands(), value_bytes);
  if (!walk.variant.held && (value_bytes > 0 || walk.head.rows < kReducedRowsFewest))
    throw ValueError(std::string(expression.label()) + ": a few long rows");
  params.write(walk.head, operands, paths::axes_of(operands));
  return {walk.launch, walk.variant};
}

// Returns whether the text can run by tiles. These take the elements in an order of their own, and
// all threads of a block must reach their barrier, which loop_prep or after_loop might prevent.
bool takes_tiles(const ExpressionText& text) {
  return !text.is_ordered && text.loop_prep.empty() && text.after_loop.empty();
}

paths::Launch fill_walk(paths::Parameters& params, const paths::Operands& operands,
                        const Expression& expression) {
  if (expression.has_reductions()) return fill_reduced_rows(params, operands, expression);
  const bool tiles = takes_tiles(expression.text());
  return paths::fill(params, operands,
                     paths::choose(operands, {.any = false, .tile = tiles, .merged = true}));
}

paths::Launch fill(paths::Parameters& params, const Expression& expression,
                   const ExpressionPlan& plan) {
  const paths::Operands operands = paths::operands_of(expression, plan);
  paths::Launch launch = fill_walk(params, operands, expression);
  launch.variant.has_single = operands.single != 0;
  return launch;
}

// Returns what tells the kernels of one expression apart.
std::string key_of(Device device, const Variant& variant, const std::string& layouts) {
  std::string key{static_cast<char>(device.index), static_cast<char>(variant.path),
                  static_cast<char>(variant.dims),
                  static_cast<char>(variant.vectors | variant.wide << 1 | variant.has_single << 2)};
  if (variant.is_long)
    key.append(reinterpret_cast<const char*>(&variant.units), sizeof variant.units).append("l");
  if (variant.turned != 0)
    key.append(reinterpret_cast<const char*>(&variant.turned), sizeof variant.turned);
  if (variant.vector_operands != 0)
    key.append(reinterpret_cast<const char*>(&variant.vector_operands), sizeof(uint32_t));
  if (variant.has_maps()) {
    for (const uint32_t& mask :
         {variant.outer_maps, variant.column_maps, variant.units, variant.hole_maps})
      key.append(reinterpret_cast<const char*>(&mask), sizeof mask);
    key += variant.general_maps ? 'g' : 'm';
  }
  if (variant.lanes != 0)
    key += {static_cast<char>(std::countr_zero(static_cast<uint32_t>(variant.lanes))),
            static_cast<char>(variant.rounds), static_cast<char>(variant.held)};
  return key + layouts;
}

}  // namespace

void* compile_for_cuda(Expression& expression, Device device, const std::string& source) {
  if (const auto& build = expression.text().build) return build(device, source);
  void* const kernel = compiled_kernel(device, source, source::kSymbol);
  expression.note_source(source);
  return kernel;
}

namespace {

// A planned launch of an expression with its parameters.
struct Planned {
  Planned(const Expression& expression, const ExpressionPlan& plan, Device device)
      : launch(fill(params, expression, plan)), key(key_of(device, launch.variant, plan.layouts)) {
    params.require_room(plan.constants.size() + 16);
  }
  void* compile(Expression& expression, const std::string& layouts, Device device) const {
    return compile_for_cuda(expression, device, source::cuda(expression, layouts, launch.variant));
  }
  void run(void* kernel, const Expression& expression, ExpressionPlan& plan,
           const StreamPtr& stream) {
    void* arguments[] = {params.data(), plan.constants.data()};
    BufferAccess access(stream);
    plan.open(access);
    const DType reported = plan.operand_count > 0 ? plan.dtypes[0] : DType::uint8;
    gpuarray::launch({kernel}, launch.shape, arguments, *stream,
                     {expression.label(), reported, *plan.target_shape});
  }

  paths::Parameters params;
  paths::Launch launch;
  std::string key;
};

}  // namespace

void cuda_expression(Expression& expression, ExpressionPlan& plan, const StreamPtr& stream) {
  const Device device = stream->device();
  Planned planned(expression, plan, device);
  void* const kernel = expression.compiled(
      planned.key, [&] { return planned.compile(expression, plan.layouts, device); });
  planned.run(kernel, expression, plan, stream);
}

void* kernel_if_compiled(Expression& expression, const std::string& key, Device device) {
  if (void* const kernel = expression.find(key)) return kernel;
  const std::string image = expression.take_image(key);
  if (image.empty()) return nullptr;
  return expression.compiled(key, [&] { return loaded_kernel(device, image, source::kSymbol); });
}

ReadyFlag request_kernel(const std::shared_ptr<Expression>& expression, const std::string& key,
                         Device device, std::function<std::string()> text) {
  if (!may_compile_in_background()) return nullptr;
  auto [is_ready, is_first] = expression->claim(key);
  if (is_first)
    compile_in_background([expression, key, device, text = std::move(text)] {
      expression->keep_image(key, compile_image(device, text()));
    });
  return is_ready;
}

ReadyFlag request_cuda_expression(const std::shared_ptr<Expression>& expression,
                                  ExpressionPlan& plan, Device device) {
  const Planned planned(*expression, plan, device);
  return request_kernel(expression, planned.key, device,
                        [expression, layouts = plan.layouts, variant = planned.launch.variant] {
                          return source::cuda(*expression, layouts, variant);
                        });
}

bool cuda_expression_if_compiled(Expression& expression, ExpressionPlan& plan,
                                 const StreamPtr& stream) {
  Planned planned(expression, plan, stream->device());
  void* const kernel = kernel_if_compiled(expression, planned.key, stream->device());
  if (kernel == nullptr) return false;
  planned.run(kernel, expression, plan, stream);
  return true;
}

}  // namespace gpuarray
