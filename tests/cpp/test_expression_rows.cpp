// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
// Tests how threads take the rows of expressions that reduce them, and of those with index maps,
// whose kernels run on the host.
#include <array>
#include <cstring>
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
#include "kernels/expression/mapped_rows.cuh"
#undef __device__

using namespace gpuarray;

namespace {

constexpr int64_t kHole = AxisPieces::kHole;
constexpr float kFill = -5;

// The pieces of an axis: how many elements each has, the first one that is read, and the step.
using Given = std::vector<std::array<int64_t, 3>>;

// What is read along each axis, as a list for comparing.
struct Reading {
  Shape shape;
  std::vector<std::vector<int64_t>> elements;  // of each axis, -1 in holes
  IndexMap map{"test", {}, {}};

  explicit Reading(const std::vector<Given>& axes) {
    map.fill.emplace().dtype = DType::float32;
    std::memcpy(map.fill->bytes, &kFill, sizeof kFill);
    for (const Given& given : axes) {
      AxisPieces pieces;
      std::vector<int64_t>& read = elements.emplace_back();
      for (const auto& [count, first, step] : given) {
        step == kHole ? pieces.add_hole(count) : pieces.add(count, first, step);
        for (int64_t i = 0; i < count; ++i) read.push_back(step == kHole ? -1 : first + step * i);
      }
      CHECK(pieces.count != 1 || pieces.has_holes() ||
            pieces.pieces[0] == (AxisPieces::Piece{pieces.begin_of(1), 0, 1}));
      shape.push_back(static_cast<int64_t>(read.size()));
      map.add_axis(pieces);
    }
  }
  // Returns where the element is read, in elements of the operand, or -1 if it is in a hole.
  int64_t offset(int64_t index, const Strides& strides) const {
    int64_t offset = 0;
    for (int axis = shape.size() - 1; axis >= 0; --axis) {
      const auto at = static_cast<size_t>(index % shape[axis]);
      const int64_t element = elements[static_cast<size_t>(axis)][at];
      if (element < 0) return -1;
      offset += element * strides[axis];
      index /= shape[axis];
    }
    return offset;
  }
};

std::vector<Given> wrapped(const Shape& shape, const Dims& wraps) {
  std::vector<Given> axes;
  for (int axis = 0; axis < shape.size(); ++axis)
    axes.push_back({{shape[axis] - wraps[axis], wraps[axis], 1}, {wraps[axis], 0, 1}});
  return axes;
}

void check_boxes(const Shape& source_shape, const std::vector<Given>& axes, int most) {
  const Reading reading(axes);
  const Shape& shape = reading.shape;
  const int64_t size = element_count(shape);
  std::vector<float> source(static_cast<size_t>(element_count(source_shape)));
  std::vector<float> target(static_cast<size_t>(size), -1);
  std::iota(source.begin(), source.end(), 0);
  ElementwisePlan plan;
  plan.shape = shape;
  plan.size = size;
  plan.add(DType::float32, target.data()) = contiguous_strides(shape);
  plan.add(DType::float32, source.data()) = contiguous_strides(source_shape);
  int count = 0;
  for_each_box(plan, reading.map, [&](ElementwisePlan& box) {
    ++count;
    CHECK(box.size == element_count(box.shape));
    for (int64_t i = 0; i < box.size; ++i)
      static_cast<float*>(box.data[0])[offset_at(i, box.shape, box.strides[0])] =
          box.data[1] == nullptr
              ? box.scalars()[1].as<float>()
              : static_cast<float*>(box.data[1])[offset_at(i, box.shape, box.strides[1])];
  });
  CHECK(count == reading.map.boxes(shape) && count == most);
  for (int64_t i = 0; i < size; ++i) {
    const int64_t offset = reading.offset(i, contiguous_strides(source_shape));
    CHECK(target[static_cast<size_t>(i)] == (offset < 0 ? kFill : static_cast<float>(offset)));
  }
}

void check_wraps(const Shape& shape, const Dims& wraps, int most) {
  check_boxes(shape, wrapped(shape, wraps), most);
}

const Given kWhole = {{4, 0, 1}};
const Given kEdge = {{2, 0, 0}, {4, 0, 1}, {3, 3, 0}};
const Given kReflect = {{3, 3, -1}, {4, 0, 1}, {1, 2, -1}};
const Given kThrice = {{4, 0, 1}, {4, 0, 1}, {4, 0, 1}};
const Given kPadded = {{2, 0, kHole}, {4, 0, 1}, {3, 0, kHole}};
const Given kTurned = {{2, 3, -1}, {2, 0, 1}};

void test_boxes() {
  check_wraps({7}, {3}, 2);
  check_wraps({8}, {4}, 1);
  check_wraps({5, 6}, {0, 5}, 2);
  check_wraps({5, 6}, {2, 1}, 4);
  check_wraps({4, 6, 3}, {2, 3, 1}, 2);
  check_wraps({2, 2, 2, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1}, 128);
  // The borders are copied from the middle.
  check_boxes({4}, {kEdge}, 3);
  check_boxes({4, 4}, {kEdge, kReflect}, 5);
  check_boxes({4, 4, 4}, {kReflect, kWhole, kEdge}, 5);
  check_boxes({4, 4}, {kTurned, kEdge}, 6);
  check_boxes({4, 4}, {kEdge, kTurned}, 4);
  // So are holes filled, each once.
  check_boxes({4, 4}, {kPadded, kPadded}, 5);
  check_boxes({4, 4, 4}, {kPadded, kEdge, kPadded}, 7);
  check_boxes({4, 4}, {{{3, 0, kHole}}, kTurned}, 1);
  // Pieces that are alike are one more axis.
  check_boxes({4, 4}, {kThrice, kThrice}, 1);
  check_boxes({4}, {{{3, 0, 0}, {3, 1, 0}, {3, 2, 0}}}, 1);
}

void test_pieces_that_go_on_are_one() {
  const auto count_of = [](const Given& given) {
    AxisPieces pieces;
    for (const auto& [count, first, step] : given) pieces.add(count, first, step);
    return pieces.count;
  };
  CHECK(count_of({{3, 0, 1}, {0, 7, 1}, {2, 3, 1}}) == 1);
  CHECK(count_of({{3, 5, -1}, {2, 2, -1}, {1, 0, 1}}) == 1);
  CHECK(count_of({{1, 5, 9}, {2, 4, -1}}) == 1);
  CHECK(count_of({{3, 0, 1}, {2, 3, -1}}) == 2);
  CHECK(count_of({{3, 0, 0}, {3, 0, 1}}) == 2);
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
template <bool wide, bool vectors, bool general = false, uint32_t holes = 0>
void check_kernel(const Shape& source_shape, const std::vector<Given>& first_axes,
                  const std::vector<Given>& second_axes, int64_t step) {
  constexpr int kDims = 3;
  const Reading first(first_axes), second(second_axes);
  const Shape& shape = first.shape;
  CHECK(shape == second.shape);
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
    strides = contiguous_strides(k < 2 ? shape : source_shape);
    for (int64_t& each : strides)
      if (k == 3) each *= step;
  }
  plan.mapped = {2, 3};
  plan.maps = {&first.map, &second.map};
  plan.strides[4] = first.map.axes;
  plan.strides[5] = second.map.axes;
  const paths::Operands operands{
      plan.shape, plan.size, 4, vectors ? 4 : 1, plan.dtypes, plan.data, plan.strides,
      1,          0,         1, nullptr,         plan.mapped, plan.maps};
  CHECK(paths::choose(operands, {.any = false, .tile = true, .merged = true}) == Path::rows);
  paths::Parameters params;
  const auto [launch, variant] = paths::fill(params, operands, Path::rows);
  CHECK(variant.outer_maps == 4 && variant.column_maps == 12 && !variant.wide);
  CHECK(variant.general_maps == general && variant.hole_maps == holes);
  CHECK(variant.vectors == vectors && variant.units == (step == 1 ? 15u : 7u));
  const auto& given =
      block<MappedExpression<ExpressionOperands<4, 1, false, false>, kDims, 2, general>>(params);
  const auto body = [](int64_t, float& out, float a, float b, float c) { out = a - 3 * b + 7 * c; };
  gridDim.x = launch.grid[0];
  for (blockIdx.x = 0; blockIdx.x < launch.grid[0]; ++blockIdx.x)
    for (threadIdx.x = 0; threadIdx.x < launch.block[0]; ++threadIdx.x) {
      if (step == 1)
        walk_mapped_rows<vectors, wide, 4, 12, 15, holes, float, const float, const float,
                         const float>(given, body);
      else
        walk_mapped_rows<vectors, wide, 4, 12, 7, holes, float, const float, const float,
                         const float>(given, body);
    }
  for (int64_t i = 0; i < size; ++i) {
    const auto read = [&](int k, const Reading& reading) {
      const int64_t offset = reading.offset(i, plan.strides[k]);
      return offset < 0 ? kFill : storage[k][offset];
    };
    const float a = storage[1][i], b = read(2, first), c = read(3, second);
    CHECK(storage[0][i] == a - 3 * b + 7 * c);
  }
}

template <bool wide, bool vectors>
void check_rolls(const Shape& shape, const Dims& first, const Dims& second, int64_t step) {
  check_kernel<wide, vectors>(shape, wrapped(shape, first), wrapped(shape, second), step);
}

void test_kernels() {
  check_rolls<false, true>({3, 5, 16}, {1, 4, 1}, {0, 0, 15}, 1);
  check_rolls<false, true>({3, 5, 16}, {1, 4, 4}, {0, 0, 6}, 1);
  check_rolls<true, true>({3, 5, 16}, {1, 4, 2}, {0, 0, 7}, 2);
  check_rolls<false, false>({3, 5, 17}, {2, 0, 3}, {0, 0, 16}, 1);
  check_rolls<true, false>({3, 5, 17}, {0, 3, 3}, {0, 0, 1}, 2);
  check_rolls<false, true>({2, 2, 1100}, {1, 1, 1}, {0, 0, 1099}, 1);
}

// The same with borders, which repeat elements or read them backwards.
void test_kernels_of_borders() {
  const Given rows = {{2, 0, 0}, {3, 0, 1}, {2, 2, -1}},
              columns = {{3, 3, -1}, {12, 0, 1}, {5, 11, 0}};
  const Given five = {{5, 0, 1}}, wrap = {{2, 10, 1}, {12, 0, 1}, {6, 0, 1}};
  const Given seven = {{7, 0, 1}};
  check_kernel<false, true, true>({7, 5, 12}, {rows, five, columns}, {seven, five, wrap}, 1);
  check_kernel<true, false, true>({7, 5, 12}, {rows, five, columns}, {seven, five, wrap}, 2);
  check_kernel<false, false, true>({7, 5, 12}, {rows, five, wrap}, {seven, five, columns}, 2);
}

// The same with holes along either axis, or both.
void test_kernels_of_holes() {
  const Given rows = {{2, 0, kHole}, {5, 0, 1}}, five = {{5, 0, 1}};
  const Given columns = {{3, 0, kHole}, {12, 0, 1}, {5, 0, kHole}};
  const Given wrap = {{2, 10, 1}, {12, 0, 1}, {6, 0, kHole}}, seven = {{7, 0, 1}};
  const Given edge = {{3, 3, -1}, {12, 0, 1}, {5, 11, 0}};
  check_kernel<false, true, true, 12>({7, 5, 12}, {rows, five, columns}, {seven, five, wrap}, 1);
  check_kernel<true, false, true, 12>({7, 5, 12}, {rows, five, columns}, {seven, five, wrap}, 2);
  check_kernel<false, true, true, 4>({7, 5, 12}, {rows, five, edge}, {seven, five, edge}, 2);
  check_kernel<false, false, true, 8>({7, 5, 12}, {{{2, 0, 0}, {5, 0, 1}}, five, edge},
                                      {seven, five, columns}, 1);
}

// Offsets that need 64 bits make a walk wide.
void test_far_operands() {
  ExpressionPlan plan;
  plan.shape = {1 << 10, 64};
  plan.size = 1 << 16;
  plan.add(DType::float32, reinterpret_cast<void*>(512)) = {64, 1};
  plan.add(DType::float32, reinterpret_cast<void*>(512)) = {int64_t{1} << 21, 1};
  const Reading reading(wrapped(plan.shape, {1, 0}));
  plan.mapped = {1};
  plan.maps = {&reading.map};
  plan.strides[2] = reading.map.axes;
  const paths::Operands operands{plan.shape, plan.size,    2,        4, plan.dtypes,
                                 plan.data,  plan.strides, 1,        0, 1,
                                 nullptr,    plan.mapped,  plan.maps};
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
  test_pieces_that_go_on_are_one();
  test_fences_keep_axes_apart();
  test_kernels();
  test_kernels_of_borders();
  test_kernels_of_holes();
  test_far_operands();
  return check_report();
}
