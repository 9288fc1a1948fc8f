// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
// Tests how threads take the rows of expressions that reduce them, and of those with index maps,
// whose kernels run on the host.
#include <numeric>
#include <vector>

#include "backend/expression.hpp"
#include "backend/index_map.hpp"
#include "check.hpp"
#include "core/layout.hpp"
#include "kernels/tuning.hpp"
#include "kernels_on_host.hpp"

namespace gpuarray {
using std::min;
}
#define __device__
#include "kernels/expression/expression.cuh"
#undef __device__

using namespace gpuarray;

namespace {

// Returns where the element is read, in elements of the operand.
int64_t mapped_offset(int64_t index, const Shape& shape, const Strides& strides,
                      const Dims& wraps) {
  int64_t offset = 0;
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    offset += (index % shape[axis] + wraps[axis]) % shape[axis] * strides[axis];
    index /= shape[axis];
  }
  return offset;
}

void check_boxes(const Shape& shape, const Dims& wraps, int most) {
  const int64_t size = element_count(shape);
  std::vector<int32_t> source(static_cast<size_t>(size)), target(source.size(), -1);
  std::iota(source.begin(), source.end(), 0);
  ElementwisePlan plan;
  plan.shape = shape;
  plan.size = size;
  plan.add(DType::int32, target.data()) = contiguous_strides(shape);
  plan.add(DType::int32, source.data()) = contiguous_strides(shape);
  const IndexMap map{wraps};
  int count = 0;
  for_each_box(plan, map, [&](ElementwisePlan& box) {
    ++count;
    CHECK(box.size == element_count(box.shape));
    for (int64_t i = 0; i < box.size; ++i)
      static_cast<int32_t*>(box.data[0])[offset_at(i, box.shape, box.strides[0])] =
          static_cast<int32_t*>(box.data[1])[offset_at(i, box.shape, box.strides[1])];
  });
  CHECK(count == map.boxes(shape) && count == most);
  for (int64_t i = 0; i < size; ++i)
    CHECK(target[static_cast<size_t>(i)] ==
          mapped_offset(i, shape, contiguous_strides(shape), wraps));
}

void test_boxes() {
  check_boxes({7}, {3}, 2);
  check_boxes({8}, {4}, 1);
  check_boxes({5, 6}, {0, 5}, 2);
  check_boxes({5, 6}, {2, 1}, 4);
  check_boxes({4, 6, 3}, {2, 3, 1}, 2);
  check_boxes({2, 2, 2, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1}, 128);
}

void test_fences_keep_axes_apart() {
  Shape shape{4, 5, 1, 6};
  const Dims wraps{0, 2, 0, 0};
  Strides strides[] = {{30, 6, 6, 1}, wraps, fence_of(4, {&wraps, 1})};
  merge_axes(shape, strides);
  CHECK(shape == Shape({4, 5, 6}) && strides[1] == Dims({0, 2, 0}));
  shape = {4, 5, 6};
  const Dims outer{3, 0, 0};
  Strides both[] = {{30, 6, 1}, outer, fence_of(3, {&outer, 1})};
  merge_axes(shape, both);
  CHECK(shape == Shape({4, 30}) && both[1] == Dims({3, 0}));
}

// A sum of operand 1, read as it is, and of operands 2 and 3, which wrap along the outer axes and
// the columns, and along the columns alone.
template <bool wide, bool vectors>
void check_kernel(const Shape& shape, const Dims& first, const Dims& second, int64_t step) {
  constexpr int kDims = 3;
  const int64_t size = element_count(shape);
  alignas(16) static float storage[4][1 << 14];
  ExpressionPlan plan;
  plan.shape = shape;
  plan.size = size;
  plan.fresh = 1;
  for (int k = 0; k < 4; ++k) {
    CHECK(size * step + 16 < 1 << 14);
    for (int64_t i = 0; i < 1 << 14; ++i) storage[k][i] = static_cast<float>(k * 100000 + i);
    Strides& strides = plan.add(DType::float32, storage[k]);
    strides = contiguous_strides(shape);
    for (int64_t& each : strides)
      if (k == 3) each *= step;
  }
  plan.mapped = {2, 3};
  plan.strides[4] = first;
  plan.strides[5] = second;
  const paths::Operands operands{
      plan.shape, plan.size, 4, vectors ? 4 : 1, plan.dtypes, plan.data, plan.strides,
      1,          0,         1, nullptr,         plan.mapped};
  CHECK(paths::choose(operands, {.any = false, .tile = true, .merged = true}) == Path::rows);
  paths::Parameters params;
  const auto [launch, variant] = paths::fill(params, operands, Path::rows);
  CHECK(variant.outer_maps == 4 && variant.column_maps == 12 && !variant.wide);
  CHECK(variant.vectors == vectors && variant.units == (step == 1 ? 15u : 7u));
  const auto& given = block<MappedExpression<4, kDims, 2>>(params);
  const auto body = [](int64_t, float& out, float a, float b, float c) { out = a - 3 * b + 7 * c; };
  gridDim.x = launch.grid[0];
  for (blockIdx.x = 0; blockIdx.x < launch.grid[0]; ++blockIdx.x)
    for (threadIdx.x = 0; threadIdx.x < launch.block[0]; ++threadIdx.x) {
      if (step == 1)
        walk_mapped_rows<vectors, wide, 4, 12, 15, float, const float, const float, const float>(
            given, body);
      else
        walk_mapped_rows<vectors, wide, 4, 12, 7, float, const float, const float, const float>(
            given, body);
    }
  for (int64_t i = 0; i < size; ++i) {
    const float a = storage[1][i], b = storage[2][mapped_offset(i, shape, plan.strides[2], first)];
    const float c = storage[3][mapped_offset(i, shape, plan.strides[3], second)];
    CHECK(storage[0][i] == a - 3 * b + 7 * c);
  }
}

void test_kernels() {
  check_kernel<false, true>({3, 5, 16}, {1, 4, 1}, {0, 0, 15}, 1);
  check_kernel<false, true>({3, 5, 16}, {1, 4, 4}, {0, 0, 6}, 1);
  check_kernel<true, true>({3, 5, 16}, {1, 4, 2}, {0, 0, 7}, 2);
  check_kernel<false, false>({3, 5, 17}, {2, 0, 3}, {0, 0, 16}, 1);
  check_kernel<true, false>({3, 5, 17}, {0, 3, 3}, {0, 0, 1}, 2);
  check_kernel<false, true>({2, 2, 1100}, {1, 1, 1}, {0, 0, 1099}, 1);
}

// Offsets that need 64 bits make a walk wide.
void test_far_operands() {
  ExpressionPlan plan;
  plan.shape = {1 << 10, 64};
  plan.size = 1 << 16;
  plan.add(DType::float32, reinterpret_cast<void*>(512)) = {64, 1};
  plan.add(DType::float32, reinterpret_cast<void*>(512)) = {int64_t{1} << 21, 1};
  plan.mapped = {1};
  plan.strides[2] = {1, 0};
  const paths::Operands operands{plan.shape,   plan.size, 2, 4, plan.dtypes, plan.data,
                                 plan.strides, 1,         0, 1, nullptr,     plan.mapped};
  paths::Parameters params;
  CHECK(paths::fill(params, operands, Path::rows).variant.wide);
}

paths::ReducedRowsWalk walk_of(DType dtype, int64_t rows, int64_t columns, uintptr_t source = 512,
                               int64_t step = 0) {
  ElementwisePlan plan;
  plan.shape = {rows, columns};
  plan.size = rows * columns;
  plan.add(dtype, reinterpret_cast<void*>(512)) = {columns, 1};
  plan.add(dtype, reinterpret_cast<void*>(source)) = {step > 0 ? step : columns, 1};
  return paths::reduced_rows(paths::operands_of(plan), 0b10);
}

void test_rows_of_usual_length() {
  const auto [head, variant, launch] = walk_of(DType::float32, 1 << 14, 4096);
  CHECK(head.columns == 4096 && head.rows == 1 << 14 && head.blocks == 1 << 14);
  CHECK(variant.vectors && variant.vector_operands == 0b11 && variant.held && !variant.wide);
  CHECK(variant.lanes == 256 && variant.rounds == 4);
}

void test_short_rows_share_a_block() {
  const auto [head, variant, launch] = walk_of(DType::float32, 1000, 32);
  CHECK(variant.lanes == 8 && variant.rounds == 1 && variant.held);
  CHECK(head.blocks == 32);
  CHECK(walk_of(DType::float32, 1000, 1).variant.lanes == 1);
  CHECK(walk_of(DType::float32, 1000, 31).variant.lanes == 32);
}

void test_rows_that_are_not_aligned() {
  const auto variant = walk_of(DType::float32, 100, 1001).variant;
  CHECK(!variant.vectors && variant.held && variant.lanes * variant.rounds >= 1001);
  CHECK(walk_of(DType::float32, 100, 1000, 516).variant.vector_operands == 0b01);
  CHECK(walk_of(DType::float32, 100, 1000, 512, 1001).variant.vector_operands == 0b01);
}

void test_all_lengths_are_covered() {
  for (DType dtype : {DType::int8, DType::float16, DType::float32, DType::complex128})
    for (int64_t columns = 1; columns < 100000; columns += 1 + columns / 7) {
      const auto [head, variant, launch] = walk_of(dtype, 1000, columns);
      const int64_t width = variant.vectors ? 16 / itemsize(dtype) : 1;
      const int64_t share = variant.rounds * width * itemsize(dtype);
      CHECK(!variant.held || variant.lanes * variant.rounds * width >= columns);
      CHECK(variant.lanes <= kReducedRowsMostLanes && share <= kReducedRowsHeld);
      CHECK((variant.lanes & (variant.lanes - 1)) == 0);
    }
  CHECK(walk_of(DType::float32, 1000, 1 << 15).variant.held);
  CHECK(!walk_of(DType::float32, 1000, (1 << 15) + 4).variant.held);
}

void test_rows_beyond_31_bits() {
  CHECK(walk_of(DType::float32, int64_t{1} << 33, 4).variant.wide);
}

}  // namespace

int main() {
  test_rows_of_usual_length();
  test_short_rows_share_a_block();
  test_rows_that_are_not_aligned();
  test_all_lengths_are_covered();
  test_rows_beyond_31_bits();
  test_boxes();
  test_fences_keep_axes_apart();
  test_kernels();
  test_far_operands();
  return check_report();
}
