// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/expression.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>

#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/expression_source.hpp"
#include "backend/kernel_source.hpp"
#include "core/error.hpp"
#include "kernels/expression/expression_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {
namespace {

constexpr int64_t kNarrow = int64_t{1} << 31;  // what 32-bit positions and block numbers hold
constexpr size_t kMostParameterBytes = 4096;   // of a kernel

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

AxisExtent axis_extent(int64_t extent) {
  return {extent, Divisor::of(static_cast<uint32_t>(std::min(extent, kNarrow - 1))), 0};
}

[[noreturn]] void throw_too_many() {
  throw ValueError("too many arrays of too many dimensions for one kernel");
}

// What a launch passes, in the layout of kernels/expression/expression_params.hpp.
class Parameters {
 public:
  template <class T>
  void add(const T& value) {
    static_assert(sizeof(T) % 8 == 0);
    if (size_ + sizeof(T) > kMostParameterBytes) throw_too_many();
    std::memcpy(bytes_ + size_, &value, sizeof(T));
    size_ += sizeof(T);
  }
  void add_data(const ExpressionPlan& plan) {
    for (int k = 0; k < plan.operand_count; ++k) add(plan.data[k]);
    if (plan.operand_count == 0) add(static_cast<void*>(nullptr));
  }
  void* data() { return bytes_; }
  size_t size() const { return size_; }

 private:
  alignas(16) unsigned char bytes_[kMostParameterBytes];
  size_t size_ = 0;
};

// 16 bytes of the widest dtype, in elements: as in the kernels.
int vector_width(const Expression& expression, const ExpressionPlan& plan) {
  if (!expression.has_vectors()) return 1;
  int largest = 1;
  for (int k = 0; k < plan.operand_count; ++k)
    largest = std::max(largest, itemsize(plan.dtypes[k]));
  return 16 / largest;
}

bool is_single(const ExpressionPlan& plan, int k) {
  return plan.shape.empty() || plan.strides[k][0] == 0;
}

bool is_flat(const Expression& expression, const ExpressionPlan& plan) {
  if (plan.shape.size() > 1) return false;
  for (int k = 0; k < plan.operand_count && !plan.shape.empty(); ++k) {
    const auto parameter = static_cast<size_t>(expression.operands()[static_cast<size_t>(k)]);
    const bool is_written = expression.parameters()[parameter].is_written;
    if (plan.strides[k][0] != 1 && (is_written || !is_single(plan, k))) return false;
  }
  return true;
}

LaunchShape fill_flat(Parameters& params, const ExpressionPlan& plan, int width) {
  FlatHead head{plan.size, 0, 0, 0, plan.fresh};
  const auto address = [&](int k) { return reinterpret_cast<uintptr_t>(plan.data[k]); };
  if (plan.operand_count > 0) {
    const int item = itemsize(plan.dtypes[0]);
    const auto past =
        static_cast<int64_t>(address(0) % static_cast<uintptr_t>(width * item)) / item;
    head.head = static_cast<int32_t>(std::min<int64_t>(past == 0 ? 0 : width - past, plan.size));
  }
  for (int k = 0; k < plan.operand_count; ++k) {
    const auto item = static_cast<uintptr_t>(itemsize(plan.dtypes[k]));
    const uintptr_t first = address(k) + static_cast<uintptr_t>(head.head) * item;
    if (first % (item * static_cast<uintptr_t>(width)) == 0) head.aligned |= 1u << k;
    if (is_single(plan, k)) head.single |= 1u << k;
  }
  params.add(head);
  params.add_data(plan);
  const int64_t threads = divide_up(std::max<int64_t>(plan.size - head.head, 1), width);
  const int64_t blocks = divide_up(threads, kFlatBlock);
  if (blocks >= kNarrow)
    throw ValueError("a kernel takes at most " + std::to_string((kNarrow - 1) * kFlatBlock) +
                     " elements at once, got " + std::to_string(plan.size));
  return LaunchShape::linear(blocks, kFlatBlock);
}

// Whether operand k's vectors along a row all begin at a multiple of their size.
bool has_row_vectors(const ExpressionPlan& plan, int k, int width) {
  const int inner = plan.shape.size() - 1;
  const int bytes = width * itemsize(plan.dtypes[k]);
  if (plan.strides[k][inner] != 1 ||
      reinterpret_cast<uintptr_t>(plan.data[k]) % static_cast<uintptr_t>(bytes) != 0)
    return false;
  for (int axis = 0; axis < inner; ++axis)
    if (plan.strides[k][axis] % width != 0) return false;
  return true;
}

// One long row is cut into rows of a block's width; the last may be shorter.
void cut_row(ExpressionPlan& plan) {
  const int64_t columns = std::min<int64_t>(plan.size, kRowsBlock);
  plan.shape = {divide_up(plan.size, columns), columns};
  for (int k = 0; k < plan.operand_count; ++k)
    plan.strides[k] = {plan.strides[k][0] * columns, plan.strides[k][0]};
}

std::pair<source::RowsVariant, LaunchShape> fill_rows(Parameters& params, ExpressionPlan& plan,
                                                      int width) {
  if (plan.shape.size() == 1) cut_row(plan);
  const int dims = plan.shape.size();
  RowsHead head{};
  head.size = plan.size;
  head.columns = plan.shape.back();
  head.rows = divide_up(plan.size, head.columns);
  head.fresh = plan.fresh;
  // The last row may end within a vector where one row was cut.
  if (plan.size % width != 0 || head.columns % width != 0 || !has_row_vectors(plan, 0, width))
    width = 1;
  for (int k = 0; k < plan.operand_count; ++k)
    if (width > 1 && has_row_vectors(plan, k, width)) head.vectors |= 1u << k;
  const int64_t along = divide_up(head.columns, width);
  const auto threads = static_cast<uint32_t>(std::min<int64_t>(along, kRowsBlock));
  head.log_width = std::bit_width(std::bit_ceil(threads)) - 1;
  const int64_t row_blocks = divide_up(along, int64_t{1} << head.log_width);
  head.row_blocks = axis_extent(row_blocks);
  const int rows_per_thread =
      plan.operand_count > 4 ? 1 : std::clamp(kRowsElements / width, 1, kRowsMost);
  const int64_t height = int64_t{kRowsBlock >> head.log_width} * rows_per_thread;
  head.blocks = divide_up(head.rows, height) * row_blocks;
  const bool wide = head.rows >= kNarrow - kRowsBlock || head.blocks >= kNarrow;
  params.add(head);
  for (int axis = 0; axis < dims - 1; ++axis) params.add(axis_extent(plan.shape[axis]));
  params.add_data(plan);
  for (int k = 0; k < plan.operand_count; ++k)
    for (int64_t stride : plan.strides[k]) params.add(stride);
  if (plan.operand_count == 0)
    for (int axis = 0; axis < dims; ++axis) params.add(int64_t{0});
  return {source::RowsVariant{dims, width > 1, wide},
          LaunchShape::linear(std::min(head.blocks, kNarrow - 1), kRowsBlock)};
}

// What tells the variants of an expression's kernel apart.
std::string key_of(Device device, const source::RowsVariant& variant, const std::string& raw) {
  const char start[] = {static_cast<char>(device.index), static_cast<char>(variant.dims),
                        static_cast<char>(variant.vectors), static_cast<char>(variant.wide)};
  return std::string(start, sizeof start) + raw;
}

void* compile(const Expression& expression, Device device, const source::RowsVariant& variant,
              const std::string& raw) {
  const std::string source =
      variant.dims == 0 ? source::flat(expression, raw) : source::rows(expression, raw, variant);
  return compile_for_cuda(expression.text(), device, source);
}

}  // namespace

void* compile_for_cuda(const ExpressionText& text, Device device, const std::string& source) {
  return text.build ? text.build(device, source) : compiled_kernel(device, source, source::kSymbol);
}

void cuda_expression(Expression& expression, ExpressionPlan& plan, const StreamPtr& stream) {
  const Device device = stream->device();
  const int width = vector_width(expression, plan);
  Parameters params;
  source::RowsVariant variant{};  // of no axes: flat
  LaunchShape shape;
  if (is_flat(expression, plan)) {
    shape = fill_flat(params, plan, width);
  } else {
    std::tie(variant, shape) = fill_rows(params, plan, width);
  }
  if (params.size() + plan.constants.size() + 16 > kMostParameterBytes) throw_too_many();
  const KernelHandle kernel{expression.compiled(key_of(device, variant, plan.raw), [&] {
    return compile(expression, device, variant, plan.raw);
  })};
  void* arguments[] = {params.data(), plan.constants.data()};
  BufferAccess access(stream);
  plan.open(access);
  const DType reported = plan.operand_count > 0 ? plan.dtypes[0] : DType::uint8;
  launch(kernel, shape, arguments, *stream, {expression.label(), reported, *plan.target_shape});
}

}  // namespace gpuarray
