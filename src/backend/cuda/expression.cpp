// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/expression.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string>

#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/cuda/paths.hpp"
#include "backend/cuda/reduced_rows.hpp"
#include "backend/expression_source.hpp"
#include "backend/kernel_source.hpp"
#include "core/divide.hpp"
#include "core/error.hpp"
#include "kernels/expression/expression_params.hpp"
#include "kernels/tuning.hpp"
#include "runtime/code/compile_queue.hpp"
#include "runtime/code/jit.hpp"

namespace gpuarray {
namespace {

constexpr size_t kMostParameterBytes = 4096;  // bytes of one kernel's parameters

[[noreturn]] void throw_too_many() {
  throw ValueError("too many arrays of too many dimensions for one kernel");
}

// The bytes that a launch passes to its kernel, in the layout of
// kernels/expression/expression_params.hpp.
class Parameters {
 public:
  template <class T>
  void add(const T& value) {
    static_assert(sizeof(T) % 8 == 0);
    if (size_ + sizeof(T) > kMostParameterBytes) throw_too_many();
    std::memcpy(bytes_ + size_, &value, sizeof(T));
    size_ += sizeof(T);
  }
  // Adds an ExpressionOperands.
  void add_operands(const paths::Operands& operands, uint32_t fresh) {
    add(uint64_t{fresh} << 32 | operands.single);
    for (int k = 0; k < operands.count; ++k) add(operands.data[k]);
    if (operands.count == 0) add(static_cast<void*>(nullptr));
  }
  // Adds what follows the head of an AxesExpression over `axes`, the outermost first.
  void add_axes(const paths::Operands& operands, uint32_t fresh, const Dims& axes) {
    for (int i = 0; i < axes.size() - 1; ++i)
      add(paths::axis_extent(operands.shape[static_cast<int>(axes[i])]));
    add_operands(operands, fresh);
    for (int k = 0; k < operands.count; ++k)
      for (int64_t axis : axes) add(operands.strides[k][static_cast<int>(axis)]);
  }
  void* data() { return bytes_; }
  size_t size() const { return size_; }

 private:
  alignas(16) unsigned char bytes_[kMostParameterBytes];
  size_t size_ = 0;
};

// Returns whether add_operands() writes an ExpressionOperands of `count` operands.
template <int count>
consteval bool operands_match() {
  using Operands = ExpressionOperands<count>;
  return offsetof(Operands, single) == 0 && offsetof(Operands, fresh) == sizeof(uint32_t) &&
         offsetof(Operands, data) == sizeof(uint64_t) &&
         sizeof(Operands) == sizeof(uint64_t) + at_least_one<count> * sizeof(void*);
}
static_assert(operands_match<0>() && operands_match<1>() && operands_match<3>());

// Returns whether a head and add_operands() write a FlatExpression.
template <int count>
consteval bool flat_matches() {
  using Flat = FlatExpression<count>;
  return offsetof(Flat, head) == 0 && offsetof(Flat, operands) == sizeof(FlatHead) &&
         sizeof(Flat) == sizeof(FlatHead) + sizeof(ExpressionOperands<count>);
}
static_assert(flat_matches<0>() && flat_matches<1>() && flat_matches<3>());

// Returns whether a head and add_axes() write an AxesExpression.
template <class Head, int count, int dims>
consteval bool axes_match() {
  using Axes = AxesExpression<Head, count, dims>;
  constexpr size_t kOperands = sizeof(Head) + (dims - 1) * sizeof(AxisExtent);
  constexpr size_t kStrides = kOperands + sizeof(ExpressionOperands<count>);
  return offsetof(Axes, head) == 0 && offsetof(Axes, outer) == sizeof(Head) &&
         offsetof(Axes, operands) == kOperands && offsetof(Axes, strides) == kStrides &&
         sizeof(Axes) == kStrides + count * dims * sizeof(int64_t);
}
static_assert(axes_match<RowsHead, 1, 2>() && axes_match<RowsHead, 3, 5>());
static_assert(axes_match<TileHead, 1, 2>() && axes_match<TileHead, 3, 5>());
static_assert(axes_match<MergedHead, 1, 2>() && axes_match<MergedHead, 3, 5>());

// How a kernel is compiled and launched.
struct PlannedLaunch {
  source::Variant variant;
  LaunchShape launch;
};

PlannedLaunch fill_flat(Parameters& params, const paths::Operands& operands, uint32_t fresh) {
  const paths::FlatWalk walk = paths::flat(operands);
  if (walk.blocks >= paths::kNarrow)
    throw ValueError("a kernel takes at most " + std::to_string((paths::kNarrow - 1) * kFlatBlock) +
                     " elements at once, got " + std::to_string(operands.size));
  params.add(walk.head);
  params.add_operands(operands, fresh);
  return {{Path::flat, 0, operands.width > 1}, LaunchShape::linear(walk.blocks, kFlatBlock)};
}

// Views one long row as rows of `columns` elements, of which the last may be shorter.
void cut_row(ExpressionPlan& plan, int64_t columns) {
  plan.shape = {divide_up(plan.size, columns), columns};
  for (int k = 0; k < plan.operand_count; ++k)
    plan.strides[k] = {plan.strides[k][0] * columns, plan.strides[k][0]};
}

// Whether the rows, which have no vectors, are walked by kernels/expression/long_rows.cuh.
bool has_long_rows(const paths::Operands& operands, const RowsHead& head) {
  return (head.vectors & 1) == 0 && operands.shape.size() > 1 &&
         operands.count <= kLongRowsOperands && head.columns >= kRowsBlock * kLongRowsElements;
}

PlannedLaunch fill_long_rows(Parameters& params, const paths::Operands& operands, RowsHead head,
                             uint32_t fresh) {
  const int64_t row_blocks = divide_up(head.columns, int64_t{kRowsBlock} * kLongRowsElements);
  head.row_blocks = paths::axis_extent(row_blocks);
  head.blocks = head.rows * row_blocks;
  source::Variant variant{.path = Path::rows,
                          .dims = operands.shape.size(),
                          .wide = head.blocks >= paths::kNarrow,
                          .is_long = true};
  Dims axes;
  for (int axis = 0; axis < variant.dims; ++axis) axes.push_back(axis);
  for (int k = 0; k < operands.count; ++k)
    if (operands.strides[k].back() == 1) variant.units |= 1u << k;
  params.add(head);
  params.add_axes(operands, fresh, axes);
  return {variant, LaunchShape::linear(std::min(head.blocks, paths::kNarrow - 1), kRowsBlock)};
}

PlannedLaunch fill_rows(Parameters& params, const paths::Operands& operands, ExpressionPlan& plan) {
  const auto [head, wide] = paths::rows(operands);
  if (has_long_rows(operands, head)) return fill_long_rows(params, operands, head, plan.fresh);
  if (plan.shape.size() == 1) cut_row(plan, head.columns);
  Dims axes;
  for (int axis = 0; axis < plan.shape.size(); ++axis) axes.push_back(axis);
  params.add(head);
  params.add_axes(operands, plan.fresh, axes);
  return {{Path::rows, axes.size(), (head.vectors & 1) != 0, wide},
          LaunchShape::linear(std::min(head.blocks, paths::kNarrow - 1), kRowsBlock)};
}

PlannedLaunch fill_merged(Parameters& params, const paths::Operands& operands, uint32_t fresh) {
  const paths::MergedWalk walk = paths::merged(operands);
  Dims axes;
  for (int axis = 0; axis < operands.shape.size(); ++axis) axes.push_back(axis);
  params.add(walk.head);
  params.add_axes(operands, fresh, axes);
  return {{.path = Path::merged, .dims = axes.size(), .vector_operands = walk.vectors},
          LaunchShape::linear(walk.blocks, kRowsBlock)};
}

PlannedLaunch fill_reduced_rows(Parameters& params, const paths::Operands& operands,
                                const Expression& expression, uint32_t fresh) {
  const paths::ReducedRowsWalk walk = paths::reduced_rows(operands, expression.reduced_operands());
  if (!walk.variant.held && walk.head.rows < kReducedRowsFewest)
    throw ValueError(std::string(expression.label()) + ": a few long rows");
  Dims axes;
  for (int axis = 0; axis < operands.shape.size(); ++axis) axes.push_back(axis);
  params.add(walk.head);
  params.add_axes(operands, fresh, axes);
  return {walk.variant, walk.launch};
}

PlannedLaunch fill_tile(Parameters& params, const paths::Operands& operands, uint32_t fresh) {
  const paths::TileWalk walk = paths::tile(operands);
  const int inner = operands.shape.size() - 1;
  Dims axes;
  for (int axis = 0; axis < inner; ++axis)
    if (axis != walk.across) axes.push_back(axis);
  axes.push_back(walk.across);
  axes.push_back(inner);
  params.add(walk.head);
  params.add_axes(operands, fresh, axes);
  return {{Path::tile, axes.size(), false, false, walk.turned},
          LaunchShape::linear(walk.blocks, kTileBlock)};
}

// Returns whether the text can run by tiles. These take the elements in an order of their own, and
// all threads of a block must reach their barrier, which loop_prep or after_loop might prevent.
bool takes_tiles(const ExpressionText& text) {
  return !text.is_ordered && text.loop_prep.empty() && text.after_loop.empty();
}

PlannedLaunch fill(Parameters& params, const Expression& expression, ExpressionPlan& plan) {
  const paths::Operands operands = paths::operands_of(expression, plan);
  if (expression.has_reductions())
    return fill_reduced_rows(params, operands, expression, plan.fresh);
  // Long rows have a walk of their own, in which neighbouring threads read neighbouring memory.
  const bool is_long = operands.count <= kLongRowsOperands && !operands.shape.empty() &&
                       operands.shape.back() >= kRowsBlock * kLongRowsElements;
  const paths::Kernels kernels{
      .any = false, .tile = takes_tiles(expression.text()), .merged = !is_long};
  switch (paths::choose(operands, kernels)) {
    case Path::flat:
      return fill_flat(params, operands, plan.fresh);
    case Path::tile:
      return fill_tile(params, operands, plan.fresh);
    case Path::merged:
      return fill_merged(params, operands, plan.fresh);
    default:
      return fill_rows(params, operands, plan);
  }
}

// Returns what tells the kernels of one expression apart.
std::string key_of(Device device, const source::Variant& variant, const std::string& layouts) {
  std::string key{static_cast<char>(device.index), static_cast<char>(variant.path),
                  static_cast<char>(variant.dims),
                  static_cast<char>(variant.vectors | variant.wide << 1)};
  if (variant.is_long)
    key.append(reinterpret_cast<const char*>(&variant.units), sizeof variant.units).append("l");
  if (variant.turned != 0)
    key.append(reinterpret_cast<const char*>(&variant.turned), sizeof variant.turned);
  if (variant.vector_operands != 0)
    key.append(reinterpret_cast<const char*>(&variant.vector_operands), sizeof(uint32_t));
  if (variant.lanes != 0)
    key += {static_cast<char>(std::countr_zero(static_cast<uint32_t>(variant.lanes))),
            static_cast<char>(variant.rounds), static_cast<char>(variant.held)};
  return key + layouts;
}

}  // namespace

void* compile_for_cuda(const ExpressionText& text, Device device, const std::string& source) {
  return text.build ? text.build(device, source) : compiled_kernel(device, source, source::kSymbol);
}

namespace {

// A planned launch of an expression with its parameters.
struct Planned {
  Planned(Expression& expression, ExpressionPlan& plan, Device device)
      : launch(fill(params, expression, plan)), key(key_of(device, launch.variant, plan.layouts)) {
    if (params.size() + plan.constants.size() + 16 > kMostParameterBytes) throw_too_many();
  }
  void* compile(const Expression& expression, const std::string& layouts, Device device) const {
    return compile_for_cuda(expression.text(), device,
                            source::cuda(expression, layouts, launch.variant));
  }
  void run(void* kernel, const Expression& expression, ExpressionPlan& plan,
           const StreamPtr& stream) {
    void* arguments[] = {params.data(), plan.constants.data()};
    BufferAccess access(stream);
    plan.open(access);
    const DType reported = plan.operand_count > 0 ? plan.dtypes[0] : DType::uint8;
    gpuarray::launch({kernel}, launch.launch, arguments, *stream,
                     {expression.label(), reported, *plan.target_shape});
  }

  Parameters params;
  PlannedLaunch launch;
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
