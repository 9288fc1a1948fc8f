// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Copies by kernels of their own: of rows whose bytes lie at any addresses, and of triangles.
#include <algorithm>
#include <bit>

#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/cuda/paths.hpp"
#include "backend/kernel_source.hpp"
#include "core/divide.hpp"
#include "core/layout.hpp"
#include "kernels/elementwise/copy_rows_params.hpp"
#include "kernels/elementwise/triangle_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {
namespace {

// Shorter rows leave most of the chunks that they touch to others. Rows of more than kSmallItemsize
// bytes an element are copied one by one, by whole words at least, unless they are longer.
constexpr int kSmallItemsize = 2;
constexpr int64_t kLeastRowBytes = 8 * kCopyChunk;
constexpr int64_t kLeastWideRowBytes = 64 * kCopyChunk;

struct CopyRowsKernel {
  static constexpr size_t kCount = 1;

  int index() const { return 0; }
  BuiltKernel built() const { return {"copy", "copy_rows"}; }
  std::string text() const {
    return source::kernel(source::include("elementwise/copy_rows.cuh"),
                          source::by_value("CopyRowsParams"), "copy_rows_kernel(params)");
  }
};

struct TriangleKernel {
  static constexpr size_t kCount = 5;

  int bytes;  // of an element

  int index() const { return std::countr_zero(static_cast<unsigned>(bytes)); }
  BuiltKernel built() const { return {"copy", "triangle_" + std::to_string(bytes)}; }
  std::string text() const {
    return source::kernel(source::include("elementwise/triangle.cuh"),
                          source::by_value("TriangleParams"),
                          "triangle_kernel<" + source::word_type(bytes) + ">(params)");
  }
};

constinit KernelFamily<CopyRowsKernel> row_kernels;
constinit KernelFamily<TriangleKernel> triangle_kernels;

// Whether all rows of both operands begin and end at whole chunks, which other kernels copy.
bool is_aligned(const ElementwisePlan& plan, int64_t size) {
  int word = common_word({reinterpret_cast<intptr_t>(plan.data[0]),
                          reinterpret_cast<intptr_t>(plan.data[1]), plan.shape.back() * size});
  for (int axis = 0; axis + 1 < plan.shape.size(); ++axis)
    word =
        std::min(word, common_word({plan.strides[0][axis] * size, plan.strides[1][axis] * size}));
  return word >= kCopyChunk;
}

}  // namespace

bool cuda_copy_rows(const ElementwisePlan& plan, const Stream& stream) {
  const int64_t size = itemsize(plan.dtypes[0]);
  const int outer = plan.shape.size() - 1;
  if (size >= kCopyChunk || plan.data[1] == nullptr || outer < 0 || outer >= kFewDims) return false;
  if (plan.strides[0].back() != 1 || plan.strides[1].back() != 1) return false;
  const int64_t row_bytes = plan.shape.back() * size;
  if (row_bytes < (size > kSmallItemsize ? kLeastWideRowBytes : kLeastRowBytes) ||
      is_aligned(plan, size))
    return false;
  CopyRowsParams params = {};
  params.bytes = row_bytes;
  const int64_t rows = plan.size / plan.shape.back();
  const int64_t per_row = divide_up(params.bytes + kCopyChunk - 1, kCopyChunk);
  params.chunks = rows * per_row;
  if (params.chunks > INT32_MAX) return false;
  params.per_row = Divisor::of(static_cast<uint32_t>(per_row));
  params.target = plan.data[0];
  params.source = plan.data[1];
  const Extent bytes = byte_extent(plan.shape, plan.strides[1], static_cast<int>(size));
  params.first = static_cast<const char*>(params.source) + bytes.begin;
  params.last = static_cast<const char*>(params.source) + bytes.end;
  params.outer.ndim = outer;
  for (int axis = 0; axis < outer; ++axis) {
    params.outer.extents[axis] = paths::axis_extent(plan.shape[axis]);
    for (int k = 0; k < 2; ++k) params.outer.strides[k][axis] = plan.strides[k][axis] * size;
  }
  void* arguments[] = {&params};
  launch(row_kernels.find({}, stream.device()),
         LaunchShape::linear(divide_up(params.chunks, kCopyRowsBlock * kCopyRowsRounds),
                             kCopyRowsBlock),
         arguments, stream,
         {"copy", plan.dtypes[0], plan.target_shape == nullptr ? plan.shape : *plan.target_shape});
  return true;
}

bool cuda_triangle(const TrianglePlan& plan, const Stream& stream) {
  const int bytes = itemsize(plan.dtype);
  const Shape& shape = *plan.shape;
  const int64_t rows = shape[shape.size() - 2], columns = shape.back();
  const int64_t size = element_count(shape);
  if (size >= INT32_MAX || reinterpret_cast<uintptr_t>(plan.source) % kCopyChunk != 0 ||
      reinterpret_cast<uintptr_t>(plan.target) % kCopyChunk != 0)
    return false;
  TriangleParams params{plan.target,
                        plan.source,
                        size,
                        Divisor::of(static_cast<uint32_t>(columns)),
                        Divisor::of(static_cast<uint32_t>(rows)),
                        static_cast<int32_t>(std::clamp(plan.offset, -rows, columns)),
                        plan.upper};
  void* arguments[] = {&params};
  const int64_t vectors = divide_up(size, kCopyChunk / bytes);
  launch(triangle_kernels.find({bytes}, stream.device()),
         LaunchShape::linear(divide_up(vectors, kTriangleBlock * kTriangleRounds), kTriangleBlock),
         arguments, stream, {"triangle", plan.dtype, shape});
  return true;
}

}  // namespace gpuarray
